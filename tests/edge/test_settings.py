"""Settings: what a wrong value is answered with."""

import os
from pathlib import Path

import pytest

from cluster.settings import BadSettings, load_settings, shown, unknown_variables


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("CROUPIER_"):
            monkeypatch.delenv(name)


def test_defaults_need_nothing() -> None:
    settings = load_settings()
    assert settings.listen == "127.0.0.1:50051"
    assert settings.redis_url == ""
    assert settings.salons_per_actor == 1


@pytest.mark.parametrize(
    "name,value,right",
    [
        ("CROUPIER_LISTEN", "50051", "such as 127.0.0.1:50051"),
        ("CROUPIER_LISTEN", "127.0.0.1:99999", "such as 127.0.0.1:50051"),
        ("CROUPIER_REDIS_URL", "valkey://localhost", "redis://host:port/db"),
        ("CROUPIER_REDIS_URL", "redis://localhost:abc", "redis://host:port/db"),
        ("CROUPIER_REDIS_URL", "redis://localhost:99999", "redis://host:port/db"),
        ("CROUPIER_REDIS_URL", "redis://localhost/first", "redis://host:port/db"),
        ("CROUPIER_REDIS_URL", "unix://", "unix:///path/to/socket"),
        ("CROUPIER_RAY_ADDRESS", "ray-head", "such as 10.0.0.5:6379"),
        ("CROUPIER_SALONS_PER_ACTOR", "many", "from 1 to 10000"),
        ("CROUPIER_SALONS_PER_ACTOR", "0", "from 1 to 10000"),
        ("CROUPIER_HOST_LEASE_MS", "10", "from 500 to 60000"),
        ("CROUPIER_LOG_LEVEL", "loud", "debug, info, warning or error"),
        ("CROUPIER_ALLOW_PLAINTEXT", "perhaps", "true where something else encrypts"),
    ],
)
def test_wrong_value_is_one_line_with_variable_value_and_what_is_right(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, right: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(BadSettings) as caught:
        load_settings()
    text = str(caught.value)
    assert f"{name}={value}" in text
    assert right in text
    assert "\n" not in text


@pytest.mark.parametrize(
    "url",
    ["redis://:word@host:6379/3", "rediss://host", "redis://[::1]:6379/", "unix:///tmp/redis.sock?db=1"],
)
def test_a_redis_url_of_each_kind_is_taken(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("CROUPIER_REDIS_URL", url)
    assert load_settings().redis_url == url


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    default = load_settings()
    for name in ("DATA_DIR", "LISTEN", "REDIS_URL", "LOG_LEVEL", "SALON_HOSTS"):
        monkeypatch.setenv(f"CROUPIER_{name}", "")
    assert load_settings() == default


def test_password_of_a_redis_url_is_not_shown() -> None:
    assert shown("redis_url", "redis://user:word@host:6379/0") == "redis://***@host:6379/0"


@pytest.mark.parametrize("token", ["short", "x" * 31, "x" * 257, "with a space, and more than 32 letters"])
def test_a_wrong_operators_token_is_told_what_is_right_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("CROUPIER_OPERATOR_TOKEN", token)
    with pytest.raises(BadSettings, match="32 to 256 letters") as caught:
        load_settings()
    assert token not in str(caught.value)


def test_an_operators_token_is_not_shown_with_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_OPERATOR_TOKEN", "x" * 32)
    settings = load_settings()
    assert settings.operator_token.get_secret_value() == "x" * 32
    assert "xxx" not in repr(settings)
    assert "xxx" not in shown("operator_token", settings.operator_token)


def test_listening_to_all_without_encryption_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_LISTEN", "0.0.0.0:50051")
    with pytest.raises(BadSettings, match="CROUPIER_ALLOW_PLAINTEXT=true"):
        load_settings()
    monkeypatch.setenv("CROUPIER_ALLOW_PLAINTEXT", "true")
    assert load_settings().listen == "0.0.0.0:50051"


def test_certificate_without_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_TLS_CERT", "/some/cert.pem")
    with pytest.raises(BadSettings, match="go together"):
        load_settings()


def test_two_wrong_values_are_two_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_LISTEN", "x")
    monkeypatch.setenv("CROUPIER_SALON_HOSTS", "-1")
    with pytest.raises(BadSettings) as caught:
        load_settings()
    assert len(str(caught.value).splitlines()) == 2


def test_environment_wins_over_the_file_and_an_option_over_both(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "croupier.toml"
    file.write_text('listen = "127.0.0.1:1000"\nsalon_hosts = 7\n')
    monkeypatch.setenv("CROUPIER_CONFIG", str(file))
    assert load_settings().salon_hosts == 7
    monkeypatch.setenv("CROUPIER_LISTEN", "127.0.0.1:2000")
    assert load_settings().listen == "127.0.0.1:2000"
    assert load_settings(listen="127.0.0.1:3000").listen == "127.0.0.1:3000"


def test_misspelt_name_in_the_file_is_refused_with_the_likeliest(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "croupier.toml"
    file.write_text('lissten = "127.0.0.1:1000"\n')
    monkeypatch.setenv("CROUPIER_CONFIG", str(file))
    with pytest.raises(BadSettings, match="lissten is no setting: did you mean listen"):
        load_settings()


@pytest.mark.parametrize("content", [None, "listen = = ="])
def test_unreadable_file_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str | None
) -> None:
    file = tmp_path / "croupier.toml"
    if content is not None:
        file.write_text(content)
    monkeypatch.setenv("CROUPIER_CONFIG", str(file))
    with pytest.raises(BadSettings, match=f"CROUPIER_CONFIG={file}"):
        load_settings()


def test_misspelt_variable_is_found_with_the_likeliest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_REDIS_URI", "redis://localhost")
    assert unknown_variables() == {"CROUPIER_REDIS_URI": "CROUPIER_REDIS_URL"}
