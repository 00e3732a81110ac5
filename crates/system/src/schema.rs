//! The JSON Schema (2020-12) of a description, generated from kinds, fields and catalogue entries, for editors that
//! complete and check.
//!
//! Not here: full validation. The schema knows words and the syntax of values. Contradictions (links, ports, widths,
//! credits) are found when the description is read, with a better message.

use crate::catalogue;
use crate::experiment::KEYS;
use crate::field::{Field, FieldType, Params, Scale};
use crate::kinds::PortParams;
use crate::registry;
use crate::settle::{BarRequest, Settings};
use crate::written::setting::Setting;
use pcie::{Bytes, Time};
use serde_json::{Map, Value, json};

const NAME: &str = "^[A-Za-z][A-Za-z0-9_]*$";
/// One path of a field that an experiment or an axis sets.
const PATH: &str = r"^[A-Za-z][A-Za-z0-9_]*(\[[^\]]*\])?\.[A-Za-z0-9_.\[\]]+$";

/// The schema.
pub fn schema() -> Value {
    let mut definitions = Map::new();
    for word in registry::words() {
        definitions.insert(word.to_string(), part(word));
    }
    definitions.insert("scalar".into(), scalar());
    definitions.insert("flow".into(), flow());
    definitions.insert("flows".into(), one_or_list(&reference("flow")));
    definitions.insert("axis".into(), axis());
    definitions.insert("experiment".into(), experiment());
    definitions.insert("link".into(), link());
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A machine for lanescope",
        "description": "Parts, links and experiments; docs/describe.md builds one from nothing.",
        "type": "object",
        "additionalProperties": false,
        "required": ["parts"],
        "properties": {
            "title": text("One line."),
            "about": text("What there is to say about it."),
            "parts": parts(),
            "links": { "description": "Two ports joined, or arrays of them.", "anyOf": [one_or_list(&reference("link"))] },
            "settings": settings(),
            "experiments": {
                "description": "What is run: each by its name.",
                "type": "object",
                "additionalProperties": reference("experiment"),
            },
        },
        "$defs": definitions,
    })
}

fn text(about: &str) -> Value {
    json!({ "description": about, "type": "string" })
}

fn reference(definition: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{definition}") })
}

fn scalar() -> Value {
    json!({ "type": ["string", "number", "boolean"] })
}

fn one_or_list(one: &Value) -> Value {
    json!({ "anyOf": [one, { "type": "array", "items": one }] })
}

/// A quantity as YAML represents it: text that looks like a number or a boolean becomes one.
fn of_scale(scale: Scale) -> Value {
    const NUMBER: &str = r"[0-9][0-9_]*(\.[0-9_]*)?(e[0-9]+)?";
    match scale {
        Scale::Time | Scale::Bytes | Scale::Rate | Scale::Frequency | Scale::Ppm => {
            let units: Vec<&str> = scale.units().iter().map(|(unit, _)| *unit).collect();
            json!({ "type": "string", "pattern": format!("^{NUMBER} *({})$", units.join("|")) })
        }
        Scale::Whole(least) => json!({ "type": "integer", "minimum": least }),
        Scale::Words(words) => one_of(words),
        Scale::Switch => json!({ "enum": ["yes", "no", true, false] }),
        Scale::Size => json!({ "anyOf": [
            { "enum": [128, 256, 512, 1024, 2048, 4096] },
            { "type": "string", "pattern": "^((128|256|512|1024|2048|4096)( *B)?|[124] *KiB|0\\.(125|25|5) *KiB)$" },
        ] }),
    }
}

fn one_of(words: &[&str]) -> Value {
    let number = |word: &&str| word.parse::<u64>().ok().map(Value::from);
    let all = words.iter().map(|word| Value::from(*word)).chain(words.iter().filter_map(number));
    json!({ "enum": all.collect::<Vec<_>>() })
}

/// The values that a field accepts.
fn value(field: &Field) -> Value {
    match (field.instead, of_scale(field.scale)) {
        ([], value) => value,
        (words, value) => json!({ "anyOf": [one_of(words), value] }),
    }
}

fn about(about: &str, expects: &str) -> String {
    format!("{}. Write {expects}.", about.trim().trim_end_matches('.'))
}

/// A figure: its value, or the value with its origin.
fn figure(about: &str, value: &Value) -> Value {
    let source = |about: &str| json!({ "description": about, "type": "string" });
    let with_origin = json!({
        "type": "object",
        "required": ["value"],
        "minProperties": 2,
        "maxProperties": 2,
        "additionalProperties": false,
        "properties": {
            "value": value,
            "cited": source("The document that it stands in."),
            "fitted": source("The measurements that it was fitted on."),
            "assumed": source("Why it is plausible."),
        },
    });
    json!({ "description": about, "anyOf": [value, with_origin] })
}

fn field(field: &Field) -> (String, Value) {
    (field.name.to_string(), figure(&about(field.about, field.expects), &value(field)))
}

fn fields(all: &[Field]) -> Map<String, Value> {
    all.iter().map(field).collect()
}

/// Catalogue entries of a kind.
fn entries(word: &str) -> Vec<&'static str> {
    let kind = |setting: &Setting| setting.name.text == "kind" && setting.value.text == word;
    let all = catalogue::entries().map(|all| all.iter()).into_iter().flatten();
    all.filter(|entry| entry.body.settings.iter().any(kind)).map(|entry| entry.name.as_str()).collect()
}

/// The parts: catalogue entry or kind determine the other fields.
fn parts() -> Value {
    let all: Vec<&str> = registry::words().flat_map(entries).collect();
    let when = |key: &str, test: Value, word: &str| json!({ "if": { "required": [key], "properties": { key: test } }, "then": reference(word) });
    // What is written as the kind goes before the entry's own.
    let by_kind = registry::words().map(|word| when("kind", json!({ "const": word }), word));
    let by_entry = registry::words().map(|word| {
        let plain = when("part", json!({ "enum": entries(word) }), word);
        json!({ "if": { "not": { "required": ["kind"] } }, "then": plain })
    });
    let mapping = json!({
        "type": "object",
        "anyOf": [{ "required": ["part"] }, { "required": ["kind"] }],
        "properties": { "part": { "enum": all }, "kind": { "enum": registry::words().collect::<Vec<_>>() } },
        "allOf": by_kind.chain(by_entry).collect::<Vec<_>>(),
    });
    json!({
        "description": "Hosts, switches, cards: each by its name. A catalogue entry, or that with fields of its own.",
        "type": "object",
        "patternProperties": { NAME: { "anyOf": [{ "enum": all }, mapping] } },
        "additionalProperties": false,
    })
}

fn part(word: &str) -> Value {
    let Some(kind) = registry::kind(word) else { return scalar() };
    let ports = json!({
        "description": "What each port can do: `up: gen3 x8`, `\"down[4]\": gen3 x4`.",
        "type": "object",
        "patternProperties": { r"^[A-Za-z0-9_]+(\[([1-9]|[12][0-9]|3[0-2])\])?$": {
            "type": "string", "pattern": "^ *[Gg][Ee][Nn] *[1-5] *[xX] *(1|2|4|8|12|16|32) *$",
        } },
        "additionalProperties": false,
    });
    let mut properties = fields(kind.fields());
    properties.extend(fields(PortParams::FIELDS));
    let size = of_scale(Scale::Size);
    let mut of_port: Map<String, Value> =
        kind.fields().iter().chain(PortParams::FIELDS).filter(|field| field.is_of_port).map(field).collect();
    of_port.insert("address".into(), text("Its address in the machine that this describes, as in `04:00.0`."));
    if kind.is_endpoint() {
        of_port.remove("mps");
    } else {
        let by_hand = json!({
            "description": "Set by hand, as with setpci.",
            "type": "object",
            "additionalProperties": false,
            "properties": { "mps": size },
        });
        of_port.insert("setpci".into(), by_hand);
    }
    let at = json!({
        "description": "What single ports have for themselves: `pcie`, `\"down[2]\"`, `\"down[0..3]\"`, or `down` for all.",
        "type": "object",
        "patternProperties": { r"^[A-Za-z0-9_]+(\[ *[0-9]+ *(\.\. *[0-9]+ *)?\])?$": {
            "type": "object", "additionalProperties": false, "properties": of_port,
        } },
        "additionalProperties": false,
    });
    let own = [
        ("part", json!({ "description": "A catalogue entry: `lanescope parts` lists them.", "type": "string" })),
        ("kind", json!({ "description": "What it is, where it is no catalogue entry.", "const": word })),
        ("about", text("One line about it.")),
        (
            "count",
            json!({ "description": "How many: an array of parts.", "type": "integer", "minimum": 1, "maximum": 256 }),
        ),
        ("ports", ports.clone()),
        ("slots", ports),
        ("at", at),
        (
            "setpci",
            json!({
                "description": "Set by hand, as with setpci.",
                "type": "object",
                "additionalProperties": false,
                "properties": { "mps": size, "mrrs": size },
            }),
        ),
    ];
    properties.extend(own.map(|(key, value)| (key.to_string(), value)));
    if kind.is_endpoint() {
        properties.insert("bars".into(), figure(&about("Its BARs", BarRequest::EXPECTS), &scalar()));
    }
    json!({ "type": "object", "additionalProperties": false, "properties": properties })
}

fn link() -> Value {
    let join = json!({
        "description": "Two ports: `host.pcie - card.pcie`, `board[i].down[j] - card[4*i + j].pcie`.",
        "type": "string",
        "pattern": r"^[^-]+\.[^-]+ *- *[^-]+\.[^-]+$",
    });
    let widths = [1, 2, 4, 8, 12, 16, 32];
    let lanes: Vec<Value> = widths.into_iter().map(Value::from).chain(widths.map(|n| format!("x{n}").into())).collect();
    let generations: Vec<Value> = (1..=5).map(Value::from).chain((1..=5).map(|n| format!("gen{n}").into())).collect();
    let mapping = json!({
        "type": "object",
        "required": ["join"],
        "additionalProperties": false,
        "properties": {
            "join": join,
            "lanes": { "description": "Lanes that are wired.", "enum": lanes },
            "gen": { "description": "The generation that it is held to.", "enum": generations },
            "propagation": { "description": "One way, up to 1 us.", "anyOf": [of_scale(Time::SCALE)] },
            "sris": { "description": "Separate clocks with spread spectrum at its ends.", "anyOf": [of_scale(Scale::Switch)] },
        },
    });
    json!({ "anyOf": [join, mapping] })
}

fn settings() -> Value {
    let plain = |field: &Field| {
        let about = about(field.about, field.expects);
        (field.name.to_string(), json!({ "description": about, "anyOf": [value(field)] }))
    };
    json!({
        "description": "What firmware and administrator decide.",
        "type": "object",
        "additionalProperties": false,
        "properties": Settings::FIELDS.iter().map(plain).collect::<Map<_, _>>(),
    })
}

fn flow() -> Value {
    let way = json!({
        "description": "In the direction of the data: `card[0] -> host`.",
        "type": "string",
        "pattern": "^[^>]+->[^>]+$",
    });
    let mapping = json!({
        "type": "object",
        "required": ["flow"],
        "additionalProperties": false,
        "properties": { "flow": way, "operation": operations() },
    });
    json!({ "anyOf": [way, mapping] })
}

fn operations() -> Value {
    one_of(&registry::operations().iter().map(|operation| operation.word()).collect::<Vec<_>>())
}

fn paths() -> Value {
    json!({ "type": "object", "propertyNames": { "pattern": PATH }, "additionalProperties": reference("scalar") })
}

/// An axis: values; values written to paths; or named choices with their overrides.
fn axis() -> Value {
    let listed = one_or_list(&reference("scalar"));
    json!({ "anyOf": [
        listed,
        {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": false,
            "properties": { "values": listed, "set": one_or_list(&json!({ "type": "string", "pattern": PATH })) },
        },
        {
            "type": "object",
            "propertyNames": { "not": { "enum": ["set", "values"] } },
            "additionalProperties": {
                "type": ["object", "null"],
                "propertyNames": { "anyOf": [{ "enum": ["divide", "operation", "queue_depth", "jobs", "cores", "read_share"] }, { "pattern": PATH }] },
                "additionalProperties": reference("scalar"),
                "properties": { "divide": { "type": "integer", "minimum": 1, "maximum": 1024 } },
            },
        },
    ] })
}

fn experiment() -> Value {
    let properties: Map<String, Value> = KEYS.iter().map(|key| (key.to_string(), key_of_experiment(key))).collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "anyOf": [{ "required": ["flows"] }, { "required": ["flow_sets"] }, { "required": ["formula"] }],
        "properties": properties,
    })
}

fn key_of_experiment(key: &str) -> Value {
    let bytes = of_scale(Bytes::SCALE);
    let described = |about: &str, value: Value| json!({ "description": about, "anyOf": [value] });
    match key {
        "operation" => described("What its flows do.", operations()),
        "flows" => described("Which, in the direction of the data.", reference("flows")),
        "flow_sets" => {
            json!({ "description": "Sets of flows, by name.", "type": "object", "additionalProperties": reference("flows") })
        }
        "command" => {
            described("Length of a command, or `one TLP`.", json!({ "anyOf": [bytes, { "const": "one TLP" }] }))
        }
        "volume" => described("How much each flow moves.", bytes),
        "max_commands" => described("Commands of a flow at most.", of_scale(Scale::Whole(1))),
        "offset" => described("From a place of the window to the first byte of its command.", reference("scalar")),
        "stride" => described("From one place of the window to the next.", bytes),
        "window" => described("The memory that commands go through.", reference("scalar")),
        "pattern" => described("Which place of the window comes next.", one_of(&["sequential", "random"])),
        "queue_depth" => described("Commands that software keeps in each queue of a drive.", of_scale(Scale::Whole(1))),
        "jobs" => {
            described("Threads that submit commands to a drive, each in its own queue.", of_scale(Scale::Whole(1)))
        }
        "cores" => described("Cores that the jobs of all drives share.", of_scale(Scale::Whole(1))),
        "read_share" => described("Percent of the commands that read; the others write.", reference("scalar")),
        "drive" => described("Who starts commands.", one_of(&["software", "card"])),
        "timed" => described("What a latency is measured over.", one_of(&["requests", "commands", "write-read"])),
        "integrity" => described("Whether payload bytes travel and are compared.", of_scale(Scale::Switch)),
        "chain" => described("Whether each flow passes on what the one before it brought.", of_scale(Scale::Switch)),
        "set" => described("Fields that are set for it.", paths()),
        "axes" => {
            json!({ "description": "What is swept.", "type": "object", "additionalProperties": reference("axis") })
        }
        "points" => described(
            "Its points, where they are not the product of its axes.",
            one_or_list(&json!({
                "type": "object", "additionalProperties": reference("scalar"),
            })),
        ),
        "measures" => described("What is measured.", one_or_list(&json!({ "type": "string" }))),
        "about" => text("What it shows."),
        "reference" => text("The table with published figures of it."),
        "formula" => text("The formula that it shows, where it is no run."),
        _ => reference("scalar"),
    }
}
