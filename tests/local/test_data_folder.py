"""What a run on dynoxide keeps for the next one: the folder, its refusals, the second demo."""

import json
import os
import re
import socket
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from unittest import mock

import pytest

from local import demo, functions, run
from local.__main__ import main
from local.aws import dynoxide
from local.aws.data_folder import DataFolder
from local.aws.dynoxide import NoDynoxide
from local.console import CannotRun
from local.demo import Api, Demo, welcome
from local.events.pumps import StreamPump
from local.gateway.endpoints import WRITE_BACK_PATH
from local.running import LocalRun
from local.template import KEY, resources
from storepost.platform.messaging import outbox
from storepost.platform.persistence.changes import Changes
from storepost.values.settings import settings
from tests.harness.world import World


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a run whose demo was loaded."""
    folder = tmp_path / "kept"
    with DataFolder(folder) as data:
        with closing(sqlite3.connect(data.rows)) as rows:
            rows.execute("CREATE TABLE _tables (table_name TEXT)")
        data.keys()
        data.demo = {"credentials": {}}
    return folder


def refusal(folder: Path) -> str:
    """The message if the folder can't be used."""
    with pytest.raises(CannotRun) as refused, DataFolder(folder):
        pass
    return str(refused.value)


class TestFolder:
    def test_is_private_to_the_user(self, folder: Path) -> None:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700

    def test_data_is_restored_by_the_next_run(self, folder: Path) -> None:
        with DataFolder(folder) as data:
            keys = data.keys()
            data.keep_clock(timedelta(days=3, milliseconds=7))
            data.positions().note("Reader", "shard", "41")
            data.positions().note("Other", "shard", "2")
        assert set(keys) == set(resources(KEY))
        assert len({key.secret for key in keys.values()}) == len(keys)
        with DataFolder(folder) as data:
            assert data.keys() == keys
            assert data.clock_offset == timedelta(days=3, milliseconds=7)
            assert data.positions().of("Reader", "shard") == "41"
            assert data.positions().of("Other", "shard") == "2"
            assert data.positions().of("Other", "another") is None
            assert data.demo == {"credentials": {}}

    def test_concurrent_run_is_refused(self, folder: Path) -> None:
        with DataFolder(folder):
            message = refusal(folder)
        assert re.fullmatch(
            rf"Another run \(process \d+\) has what is kept in {folder}: "
            r"stop that one first, or leave STORE out\.",
            message,
        )
        with DataFolder(folder) as data:
            assert data.demo

    def test_unfinished_demo_starts_over(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (folder / "demo.json").unlink()
        (folder / "rows.db-wal").touch()
        with DataFolder(folder):
            assert [file.name for file in folder.iterdir()] == ["lock"]
        assert "beginning anew" in capsys.readouterr().err

    def test_missing_rows_start_over(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (folder / "rows.db").unlink()
        with DataFolder(folder) as data:
            assert data.demo is None
        assert capsys.readouterr().err == ""

    @pytest.mark.parametrize("content", [b"", b"no database" * 1000])
    def test_corrupt_database_is_refused(self, folder: Path, content: bytes) -> None:
        (folder / "rows.db").write_bytes(content)
        message = refusal(folder)
        assert message.startswith(f"{folder} holds a broken rows.db")
        assert message.endswith("/kept")
        assert ". To start over: rm -r " in message

    def test_corruption_deep_in_the_database_is_refused(self, folder: Path) -> None:
        with closing(sqlite3.connect(folder / "rows.db")) as rows, rows:
            rows.execute("CREATE TABLE filler (v TEXT)")
            rows.executemany("INSERT INTO filler VALUES (?)", [("x" * 3000,)] * 50)
        content = bytearray((folder / "rows.db").read_bytes())
        content[-20000:-10000] = b"\xff" * 10000
        (folder / "rows.db").write_bytes(content)
        assert "holds a broken rows.db" in refusal(folder)

    def test_missing_keys_file_is_refused(self, folder: Path) -> None:
        (folder / "keys.json").unlink()
        assert "holds no keys.json" in refusal(folder)

    @pytest.mark.parametrize("name", ["keys", "demo"])
    def test_corrupt_json_file_is_refused(self, folder: Path, name: str) -> None:
        (folder / f"{name}.json").write_text('{"half')
        assert f"holds a broken {name}.json. To start over: rm -r " in refusal(folder)


class TestWithoutNpm:
    def test_message_names_node_js(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setattr(dynoxide, "FOLDER", tmp_path / "dynoxide")
        monkeypatch.setattr(run, "FOLDER", tmp_path / "kept")
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setenv("STORE", "dynoxide")
        monkeypatch.setenv("PORT", "0")
        monkeypatch.setattr("signal.signal", lambda *_: None)
        # The run sets more variables, also budgets of requests; later tests would keep them.
        with mock.patch.dict(os.environ):
            assert main() == 2
        settings.cache_clear()
        assert capsys.readouterr().err.splitlines() == [
            "Starting AWS in this process ...",
            "dynoxide comes from npm, and this machine has none: install Node.js."
            " `make run` alone needs Python only.",
        ]
        assert dynoxide.main() == 2
        with pytest.raises(NoDynoxide):
            dynoxide.program()


class TestStreamPositions:
    def test_pump_resumes_at_the_stored_position(self, world: World, folder: Path) -> None:
        def write() -> None:
            changes = Changes()
            outbox.send_with(changes, outbox.Queue.EMAILS, [({"any": 1}, None)])
            changes.commit()

        with DataFolder(folder) as data:
            write()
            # The stream also has the relay's own writes: the removal of its rows.
            assert StreamPump(positions=data.positions()).pump() == 1
            assert StreamPump(positions=data.positions()).pump() == 0
            write()
            write()
            assert StreamPump(positions=data.positions()).pump() == 2
        assert StreamPump().pump() == 3


class TestDemo:
    """The demo of an earlier run, here in the same process: only the address differs."""

    NOW = "http://127.0.0.1:9000/v1"

    @pytest.fixture
    def made(self, world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Demo]:
        monkeypatch.setenv("FEED_ALLOW_HOSTS", "127.0.0.1:9000,127.0.0.1:9001")
        monkeypatch.setenv("SHOPIFY_STAND_IN", "")
        with functions.apart(), socket.create_server(("127.0.0.1", 0)) as listening:
            local_run = LocalRun(listening)
            local_run.serve()
            made = demo.load(local_run)
            yield Demo.of_json(json.loads(json.dumps(made.as_json())))
            local_run.stop()

    def resume(self, made: Demo) -> Demo:
        return demo.resume(made, self.NOW, WRITE_BACK_PATH)

    def write_back(self, made: Demo, url: str | None = None) -> str:
        """The address of the store's write-backs; sets another address first."""
        credentials = made.credentials
        key, path = credentials.api_keys["write"], f"/stores/{credentials.store_id}/write-back"
        if url:
            Api(self.NOW).call("PUT", path, key, {"url": url})
        return str(Api(self.NOW).call("GET", path, key)["url"])

    def test_urls_move_to_the_new_address(self, made: Demo) -> None:
        taken_up = self.resume(made)
        url = taken_up.unsubscribe_url
        assert url.startswith(f"{self.NOW}/unsubscribe/")
        credentials = replace(made.credentials, base_url=self.NOW)
        assert taken_up == replace(made, credentials=credentials, unsubscribe_url=url)
        assert self.write_back(made) == f"http://127.0.0.1:9000{WRITE_BACK_PATH}"
        assert self.resume(taken_up) == taken_up

    def test_write_back_url_set_by_the_developer_is_preserved(self, made: Demo) -> None:
        own = "http://127.0.0.1:9001/hook"
        self.write_back(made, own)
        self.resume(made)
        assert self.write_back(made) == own

    def test_ended_session_is_signed_in_again(self, made: Demo, world: World) -> None:
        sessions = made.credentials.sessions
        Api(made.credentials.base_url).call("POST", "/auth/sign-out", sessions["admin"])
        taken_up = self.resume(made).credentials.sessions
        assert taken_up["owner"] == sessions["owner"]
        assert taken_up["member"] == sessions["member"]
        assert taken_up["admin"] != sessions["admin"]
        assert Api(self.NOW).call("GET", "/me", taken_up["admin"])["user"]["email"] == demo.ADMIN

    def test_session_with_changed_password_is_not_renewed(self, made: Demo) -> None:
        token, new = made.credentials.sessions["admin"], "another horse altogether"
        body = {"current": demo.PASSWORD, "password": new}
        Api(made.credentials.base_url).call("POST", "/me/password", token, body)
        Api(made.credentials.base_url).call("POST", "/auth/sign-out", token)
        assert self.resume(made).credentials.sessions["admin"] == token

    def test_welcome_screen_names_a_subscribed_profile(self, made: Demo) -> None:
        key = made.credentials.api_keys["write"]
        path = f"/profiles/{made.subscriber_id}/consent/email"
        Api(made.credentials.base_url).call("PUT", path, key, {"state": "unsubscribed"})
        other = self.resume(made).subscriber_id
        assert other != made.subscriber_id
        profile = Api(self.NOW).call("GET", f"/profiles/{other}", key)
        assert profile["emailMarketingConsent"] == "subscribed"

    def test_revoked_api_keys_do_not_fail_the_resume(self, made: Demo) -> None:
        owner, keys = made.credentials.sessions["owner"], made.credentials.api_keys
        for key in Api(made.credentials.base_url).call("GET", "/api-keys", owner)["items"]:
            Api(made.credentials.base_url).call("POST", f"/api-keys/{key['id']}/revoke", owner)
        taken_up = self.resume(made)
        assert taken_up.credentials.api_keys == keys
        assert taken_up.unsubscribe_url == ""
        assert "by the link in an email" not in welcome.screen("http://127.0.0.1:9000", taken_up, 1)
        assert taken_up.subscriber_id == made.subscriber_id
