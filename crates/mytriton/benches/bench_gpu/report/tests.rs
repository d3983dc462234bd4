use super::*;

/// A run as it is recorded: made-up figures, with one of each thing that can be there or be missing.
const RECORDED: &str = include_str!("recorded.json");

fn recorded() -> Record {
    serde_json::from_str(RECORDED).unwrap()
}

#[test]
fn tables_of_a_recorded_run() {
    insta::assert_snapshot!(markdown(&recorded()));
}

#[test]
fn a_run_that_was_cut_off_and_had_no_peers_says_so() {
    let mut record = recorded();
    record.complete = false;
    record.facts.without_peers = Some("no module named torch".to_owned());
    let text = markdown(&record);
    assert!(text.contains("cut off"), "{text}");
    assert!(text.contains("Without peers: no module named torch."), "{text}");
}

#[test]
fn the_best_is_the_fastest() {
    let record = recorded();
    let case = |title: &str| record.cases.iter().find(|case| case.title() == title).unwrap();
    let softmax = case("softmax f32 16384x4096");
    assert_eq!(softmax.best(Role::Peer).unwrap().who, "triton");
    assert_eq!(softmax.ratio(), Some(4060.0 / 4012.25));
    assert_eq!(
        softmax.of_copy(softmax.best(Role::Ours).unwrap()),
        Some(4060.0 / 4180.0)
    );
    let launch = case("launch typed launch, 4 arguments");
    assert_eq!(launch.best(Role::Peer).unwrap().who, "torch");
    assert_eq!(launch.ratio(), Some(6.04 / 3.66));
    assert_eq!(launch.of_copy(&launch.entries[0]), None);
    assert!((softmax.noise().unwrap() - 0.01).abs() < 1e-6);
    assert_eq!(case("compile softmax bf16 4096, to PTX").noise(), None);
    assert_eq!(case("transpose bf16 16384x16384").ratio(), None);
}

#[test]
fn figures_are_made_of_times() {
    let times = [vec![1.0, 4.0, 2.0], vec![2.0, 2.0]];
    let make = |unit, bytes| Entry::from_times("x", Role::Ours, unit, bytes, &times).unwrap();
    let rate = make(Unit::GigabytesPerSecond, Some(2_000_000_000));
    assert_eq!((rate.value, rate.best), (1000.0, 2000.0));
    assert_eq!(rate.rounds, [1000.0, 1000.0]);
    let time = make(Unit::Microseconds, None);
    assert_eq!((time.value, time.best), (2000.0, 1000.0));
    assert!(Entry::from_times("x", Role::Peer, Unit::Milliseconds, None, &[vec![]]).is_none());
    assert_eq!(median(&[3.0, 1.0, 2.0, 10.0]), Some(2.5));
}

#[test]
fn figures_of_the_plot_stand_beyond_its_lines() {
    let svg = plot::svg(&recorded()).unwrap().unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts = || document.descendants().filter(|node| node.has_tag_name("text"));
    let x_of = |wanted: &str| {
        let node = texts().find(|node| node.text().is_some_and(|text| text.trim() == wanted));
        node.unwrap().attribute("x").unwrap().parse::<i32>().unwrap()
    };
    // The widest label has four digits of some 6 pixels, and ends at its x.
    for figure in ["4060", "4012", "2530", "1800"] {
        assert!(x_of(figure) - 4 * 6 > x_of("100%"), "{figure} crosses the line of 100%");
    }
}

#[test]
fn the_plot_has_all_bars() {
    let svg = plot::svg(&recorded()).unwrap().unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<&str> = (document.descendants())
        .filter(|node| node.has_tag_name("text"))
        .filter_map(|node| node.text().map(str::trim))
        .collect();
    for wanted in [
        "mytriton",
        "triton",
        "torch",
        "100%",
        "softmax f32 16384x4096",
        "4060",
        "4012",
        "2530",
        "1800",
    ] {
        assert!(texts.contains(&wanted), "{wanted} is not among {texts:?}");
    }
    // Times have no bars.
    assert!(!texts.iter().any(|text| text.contains("launch")));
    // One bar each: three, two and one; a square in the legend for each of the three; and the background.
    assert_eq!(
        document.descendants().filter(|node| node.has_tag_name("rect")).count(),
        6 + 3 + 1
    );
}

#[test]
fn bars_are_as_long_as_their_part_of_a_copy() {
    let svg = plot::svg(&recorded()).unwrap().unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let widths: Vec<f64> = (document.descendants())
        .filter(|node| node.has_tag_name("rect"))
        .filter_map(|node| node.attribute("width")?.parse().ok())
        .collect();
    // Background, legend, and then ours, Triton and torch of the first benchmark.
    let [ours, triton, torch] = widths[4..7] else {
        panic!("{widths:?}")
    };
    assert!((ours / torch - 4060.0 / 2530.5).abs() < 0.01, "{widths:?}");
    assert!((ours / triton - 4060.0 / 4012.25).abs() < 0.01, "{widths:?}");
}

#[test]
fn without_throughput_there_is_no_plot() {
    let mut record = recorded();
    record.cases.retain(|case| case.unit != Unit::GigabytesPerSecond);
    assert!(plot::svg(&record).unwrap().is_none());
}

#[test]
fn files_are_written_whole_and_read_again() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("made/here");
    write(&recorded(), &out).unwrap();
    let mut names: Vec<_> = std::fs::read_dir(&out)
        .unwrap()
        .map(|file| file.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["bench.json", "bench.md", "bench.svg"]);
    let again = read(&out.join("bench.json")).unwrap();
    assert_eq!(
        serde_json::to_value(&again).unwrap(),
        serde_json::to_value(recorded()).unwrap()
    );
    let message = read(&out.join("bench.md")).unwrap_err().to_string();
    assert!(message.contains("no record of measurements"), "{message}");
}
