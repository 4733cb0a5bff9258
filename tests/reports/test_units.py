"""Numbers in human units."""

from pruner_engine import units


def test_latency_has_three_digits_and_the_fitting_unit() -> None:
    assert units.latency(0.000845) == "845 µs"
    assert units.latency(0.00123) == "1.23 ms"
    assert units.latency(2.314) == "2.31 s"
    assert units.latency(0.9999) == "1.00 s"
    assert units.latency(None) == "–"


def test_decimals_are_written_as_a_language_does() -> None:
    units.write_decimals_with(",")
    try:
        assert units.latency(0.00123) == "1,23 ms" and units.duration(0.42) == "0,42 s"
        assert (units.percent(0.0001), units.percent(0.042), units.percent(0.42)) == ("<0,1 %", "4,2 %", "42 %")
        assert units.general(0.12345, digits=3) == "0,123" and units.general(12.3456) == "12,3456"
    finally:
        units.write_decimals_with(".")
    assert units.latency(0.00123) == "1.23 ms"


def test_duration_count_ratio_and_share() -> None:
    assert units.duration(0.42) == "0.42 s"
    assert units.duration(200) == "3 min 20 s"
    assert units.duration(7500) == "2 h 05 min"
    assert [units.counted(number, "trial") for number in (0, 1, 96)] == ["0 trials", "1 trial", "96 trials"]
    assert units.counted(2, "sketch has", "sketches have") == "2 sketches have"
    assert units.count(12345) == "12\u2009345"
    assert units.ratio(2.3061) == "2.31×"
    assert units.percent(0.0001) == "<0.1 %"
    assert units.percent(0.42) == "42 %"
    told = [units.percent(share) for share in (0.98, 0.9951, 0.9996, 1.0)]
    assert told == ["98 %", "99.5 %", "100 %", "100 %"], "beside what has 0.5 % nothing has all"
    assert units.rate(13.4e9, "FLOP") == "13.4 GFLOP/s"
    assert units.size(4.2 * 2**20) == "4.20 MB"
    assert [units.size(count) for count in (0, 1, 2)] == ["0 B", "1 B", "2 B"]
