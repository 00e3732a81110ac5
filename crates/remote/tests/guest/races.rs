//! Races that KCSAN has told of: two accesses to the same word of which one is plain and one a store. It looks at the whole kernel;
//! here it is asked which have the driver in them, and whether somebody has said why such a one is none of the driver's mistakes.

use std::collections::BTreeMap;

const BEGIN: &str = "BUG: KCSAN:";
const END: &str = "==========";
const DRIVER: &str = "[lanescope]";

/// Races that the driver has with the kernel, and why each is right: the functions, the driver's first, as [`Access::name`] has
/// them. None has been met.
const EXPLAINED: [(&str, &str, &str); 0] = [];

/// One of the two: the function that did it, and the driver's that had called it.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Access {
    function: String,
    driver: Option<String>,
}

/// Where a stack is that of an interrupt: what is below it was interrupted, and has called nothing of it.
const INTERRUPTS: [&str; 2] = ["asm_sysvec_", "asm_common_interrupt"];

impl Access {
    /// Of the lines of a stack, the innermost function first.
    fn of(stack: &[&str]) -> Access {
        let interrupt = |line: &&str| INTERRUPTS.iter().any(|name| line.trim().starts_with(name));
        let stack: Vec<&str> = stack.iter().copied().take_while(|line| !interrupt(line)).collect();
        let driver = stack.iter().find(|line| line.contains(DRIVER)).map(|line| function(line));
        Access { function: stack.first().map(|line| function(line)).unwrap_or_default(), driver }
    }

    fn is_the_drivers(&self) -> bool {
        self.driver.as_ref() == Some(&self.function)
    }

    /// `ls_begin`; `ls_begin > list_add` where the driver has called what did it.
    fn name(&self) -> String {
        match &self.driver {
            Some(driver) if !self.is_the_drivers() => format!("{driver} > {}", self.function),
            _ => self.function.clone(),
        }
    }
}

/// The name in `ls_begin.isra.0+0x12/0x40 [lanescope]`.
fn function(line: &str) -> String {
    line.trim().split(['+', '.', ' ']).next().unwrap_or_default().to_string()
}

/// A line without the time that the kernel puts before it.
fn said(line: &str) -> &str {
    line.split_once("] ").filter(|(time, _)| time.starts_with('[')).map_or(line, |(_, said)| said).trim_end()
}

/// A report, as the kernel has told it.
struct Race<'a> {
    one: Access,
    other: Access,
    lines: Vec<&'a str>,
}

impl<'a> Race<'a> {
    fn of(lines: Vec<&'a str>) -> Race<'a> {
        let begins = |line: &&str| line.contains(" bytes by ");
        let mut stacks = lines.split(begins).skip(1).map(|after| {
            // Up to an empty line; what another processor has said meanwhile does not begin with a space.
            let stack = after.iter().copied().take_while(|line| !line.is_empty());
            let stack: Vec<&str> = stack.filter(|line| line.starts_with(' ')).collect();
            Access::of(&stack)
        });
        let (first, second) = (stacks.next().unwrap_or_default(), stacks.next().unwrap_or_default());
        // The driver's first, else in the order of their names.
        let rank = |access: &Access| (!access.is_the_drivers(), access.driver.is_none(), access.name());
        let (one, other) = if rank(&first) <= rank(&second) { (first, second) } else { (second, first) };
        Race { one, other, lines }
    }

    /// The driver has made one of the two accesses, or has called both that did.
    fn is_the_drivers(&self) -> bool {
        self.one.is_the_drivers() || (self.one.driver.is_some() && self.other.driver.is_some())
    }

    fn explained(&self) -> bool {
        let (one, other) = (self.one.name(), self.other.name());
        EXPLAINED.iter().any(|(driver, kernel, _)| *driver == one && *kernel == other)
    }
}

fn all(console: &str) -> Vec<Race<'_>> {
    let lines: Vec<&str> = console.lines().map(said).collect();
    let begins = lines.iter().enumerate().filter(|(_, line)| line.starts_with(BEGIN));
    let report = |from: usize| lines[from..].iter().copied().take_while(|line| !line.starts_with(END)).collect();
    begins.map(|(from, _)| Race::of(report(from))).collect()
}

/// Those that have the driver in them and that nobody has explained, each pair of functions once, with its first report.
pub fn unexplained(console: &str) -> String {
    let mut pairs: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for race in all(console).iter().filter(|race| race.is_the_drivers() && !race.explained()) {
        let pair = format!("{} / {}", race.one.name(), race.other.name());
        pairs.entry(pair).or_insert_with(|| (0, race.lines.join("\n"))).0 += 1;
    }
    pairs.iter().map(|(pair, (times, lines))| format!("{pair}: {times}\n{lines}\n")).collect()
}

/// How many there were.
pub fn counted(console: &str) -> String {
    let races = all(console);
    let drivers = races.iter().filter(|race| race.is_the_drivers()).count();
    let called = races.iter().filter(|race| !race.is_the_drivers() && race.one.driver.is_some()).count();
    format!(
        "{drivers} with the driver in them; {called} in what the driver has called; {} of the kernel alone",
        races.len() - drivers - called
    )
}

/// What the kernel tells of a race between these two stacks, at its time.
#[cfg(test)]
fn told(first: &[&str], second: &[&str]) -> String {
    let stack = |lines: &[&str]| lines.iter().map(|line| format!("[   12.5]  {line}\n")).collect::<String>();
    format!(
        "[   12.5] BUG: KCSAN: data-race in {0} / {1}\n[   12.5] \n[   12.5] write to 0xffff888 of 8 bytes by task 71 on cpu 1:\n\
         {2}[   12.5] \n[   12.5] read to 0xffff888 of 8 bytes by interrupt on cpu 0:\n{3}[   12.5] \n[   12.5] =====================\n",
        function(first[0]),
        function(second[0]),
        stack(first),
        stack(second),
    )
}

#[test]
fn is_a_race_of_the_driver_with_the_kernel_told_once() {
    let driver = ["ls_begin+0x12/0x40 [lanescope]", "vfs_read+0x1/0x2"];
    let kernel = ["copy_page+0x1/0x2", "migrate+0x1/0x2"];
    let found = unexplained(&(told(&kernel, &driver) + &told(&driver, &kernel)));
    assert!(found.starts_with("ls_begin / copy_page: 2\nBUG: KCSAN: data-race in copy_page / ls_begin\n"), "{found}");
}

#[test]
fn is_a_race_of_two_functions_that_the_driver_calls_the_drivers() {
    let list = ["__list_add+0x1/0x2", "ls_add.constprop.0+0x12/0x40 [lanescope]"];
    let found = unexplained(&told(&list, &["__list_del+0x1/0x2", "ls_take+0x1/0x2 [lanescope]"]));
    assert!(found.starts_with("ls_add > __list_add / ls_take > __list_del: 1\n"), "{found}");
}

#[test]
fn is_what_an_interrupt_does_of_the_driver_that_it_has_interrupted() {
    let timer = ["tick+0x1/0x2", "asm_sysvec_apic_timer_interrupt+0x1/0x2", "ls_add+0x12/0x40 [lanescope]"];
    let list = ["__list_add+0x1/0x2", "ls_add+0x12/0x40 [lanescope]"];
    assert_eq!(unexplained(&told(&timer, &list)), "");
}

#[test]
fn is_a_race_of_the_drivers_told_where_another_processor_speaks_meanwhile() {
    let list = ["__list_add+0x1/0x2", "ls_add+0x12/0x40 [lanescope]"];
    let console = told(&list, &list).replace("[   12.5]  ls_add", "[   12.5] soak[3] bad frame\n[   12.5]  ls_add");
    assert!(unexplained(&console).starts_with("ls_add > __list_add / ls_add > __list_add: 1\n"), "{console}");
}

#[test]
fn is_a_race_of_the_kernel_its_own_also_where_the_driver_has_called_it() {
    let called = ["next_slot+0x1/0x2", "kmalloc+0x1/0x2", "ls_add+0x12/0x40 [lanescope]"];
    let console =
        told(&called, &["next_slot+0x1/0x2", "do_fork+0x1/0x2"]) + &told(&["tick+0x1/0x2"], &["idle+0x1/0x2"]);
    assert_eq!(unexplained(&console), "");
    assert_eq!(counted(&console), "0 with the driver in them; 1 in what the driver has called; 1 of the kernel alone");
}
