//! `lanescope-remote LOCK [PEER [REQUESTER]]`: the engine as a PCI device of a QEMU guest. Standard input is the socket of an
//! `x-pci-proxy-dev`, standard output the test socket (`-object qtest`), which all devices of the guest share; LOCK is a file
//! that keeps them apart there. PEER is where two cards of a guest meet, so that one can write into the BARs of the other. With
//! REQUESTER, the card's Requester ID in hexadecimal digits, what the card sends is translated by the guest's IOMMU.

#[cfg(not(gateware))]
fn main() -> std::process::ExitCode {
    eprintln!("lanescope-remote: no gateware is compiled in: {}; {}", remote::MISSING, cosim::INSTALL);
    std::process::ExitCode::from(1)
}

#[cfg(gateware)]
fn main() -> std::process::ExitCode {
    let Some(lock) = std::env::args_os().nth(1) else {
        eprintln!("usage: lanescope-remote LOCK [PEER [REQUESTER]] <PROXY-SOCKET >TEST-SOCKET");
        return std::process::ExitCode::from(2);
    };
    let requester = match std::env::args().nth(3).map(|text| u16::from_str_radix(&text, 16)) {
        None => None,
        Some(Ok(requester)) => Some(requester),
        Some(Err(error)) => {
            eprintln!("lanescope-remote: REQUESTER: {error}");
            return std::process::ExitCode::from(2);
        }
    };
    match serve(&lock, std::env::args_os().nth(2), requester) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lanescope-remote: {error}");
            std::process::ExitCode::from(1)
        }
    }
}

/// Serves QEMU until it has gone.
#[cfg(gateware)]
fn serve(lock: &std::ffi::OsStr, place: Option<std::ffi::OsString>, requester: Option<u16>) -> std::io::Result<()> {
    use remote::counters::Fault;
    use remote::engine::{Ask, Engine};
    use remote::iommu::Iommu;
    use remote::memory::{Memory, Region};
    use remote::messages::Message;
    use remote::proxy::{Request, answer, next};
    use remote::{config, config::Config, counters::Counters, messages, peer};
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;
    use std::sync::{Arc, Mutex, PoisonError, mpsc};

    let mut proxy = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    let test = UnixStream::from(std::io::stdout().as_fd().try_clone_to_owned()?);
    let lock = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(lock)?;
    let (counters, memory) = (Arc::<Counters>::default(), Arc::<Memory>::default());
    let iommu = Arc::new(Iommu::new(Arc::clone(&memory), requester));
    let (to_guest, messages) = mpsc::channel();
    messages::spawn(messages, test, lock, Arc::clone(&counters), Arc::clone(&iommu));
    let look = to_guest.clone();
    let no_memory = || std::io::Error::from(std::io::ErrorKind::OutOfMemory);
    let engine = Engine::new(iommu, Arc::clone(&counters), to_guest).ok_or_else(no_memory)?;
    let (asks, asked) = mpsc::channel();
    std::thread::spawn(move || engine.run(&asked));
    let ask = |ask: Ask| asks.send(ask).map_err(|_| std::io::Error::other("the engine's thread has ended"));
    let config = Arc::new(Mutex::new(Config::new(Arc::clone(&counters))));
    if let Some(place) = place {
        let asks = asks.clone();
        peer::spawn(place.into(), Arc::clone(&config), move |said| asks.send(Ask::Peer(said)).unwrap_or_default());
    }
    loop {
        let request = match next(&mut proxy) {
            Ok(request) => request,
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        };
        let answers = request.wants_answer();
        let held = || config.lock().unwrap_or_else(PoisonError::into_inner);
        let mut value = 0;
        match request {
            Request::Memory(regions) => {
                let regions = regions.into_iter().filter(|region| region.1 > 0);
                memory.replace(
                    regions.map(|(base, bytes, offset, file)| Region::new(base, bytes, offset, file)).collect(),
                );
            }
            Request::ConfigRead { at, bytes } => value = held().read(at, bytes).into(),
            Request::ConfigWrite { at, value, bytes } => {
                let gone = counters.gone();
                if held().write(at, value, bytes) {
                    ask(Ask::FunctionReset)?;
                }
                if counters.gone() != gone {
                    *held() = Config::new(Arc::clone(&counters));
                    ask(Ask::Reset)?;
                }
                let settings = held().settings();
                // Before it masters the bus: the guest has set its IOMMU up long before a driver comes.
                if at == config::COMMAND as u64 {
                    let _ = look.send(Message::Look);
                }
                ask(Ask::Set(settings))?;
                if counters.strikes(Fault::Exit) {
                    std::process::exit(3);
                }
            }
            Request::Write { address, value, bytes } => {
                let hit = held().decode(address);
                if let Some((bars, offset)) = hit {
                    if bars == 1 {
                        counters.store(offset);
                    }
                    ask(Ask::Store(bars, offset, address, value.to_le_bytes()[..bytes.min(8)].to_vec()))?;
                }
            }
            Request::Read { address, bytes } => {
                value = u64::MAX;
                let hit = held().decode(address);
                if let Some((bars, offset)) = hit {
                    if bars == 1 {
                        counters.load();
                    }
                    let (reply, replied) = mpsc::sync_channel(1);
                    ask(Ask::Load(bars, offset, address, bytes.min(8) as u64, reply))?;
                    let data = replied.recv().unwrap_or_default();
                    value = data.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
                }
            }
            Request::Interrupts => {}
            Request::Reset => {
                *held() = Config::new(Arc::clone(&counters));
                ask(Ask::Reset)?;
                let settings = held().settings();
                ask(Ask::Set(settings))?;
            }
        }
        if answers {
            answer(&mut proxy, value)?;
        }
    }
}
