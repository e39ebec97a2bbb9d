"""Code that readers copy: every operation's, in Python and TypeScript, and the guides' own.

Each is compiled against our clients; what verifies a write-back is run on one.
"""

import json
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from local.template import ROOT
from storepost.api.reference.documents import interface
from storepost.platform.attempts.signing import signed_headers

GUIDES = tuple(ROOT / "docs" / "guides" / name for name in ("write-backs.md", "webhook-events.md"))
"""Each has code that verifies a message, in three languages."""
STANDARD_WEBHOOKS = "standardwebhooks@1.1.1"
_SECRETS = ("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
"""A message has the signatures of both, as for a day after a rotation."""
_OTHER = "whsec_b3RoZXIgYnl0ZXMgb3RoZXIgYnl0ZXM="
_STATUSES = ["204", "204", "401", "401", "401"]
"""Of the message by each secret, by another one, with another body, and under another id."""
_STRICT = ("--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom")
_MAIN = """\
import { readFileSync } from "node:fs";
import { receive } from "./receive.js";
const { secrets, other, headers, body } = JSON.parse(readFileSync("message.json", "utf8"));
const [secret] = secrets;
const statuses = [...secrets, other].map((each) => receive(each, headers, body));
statuses.push(receive(secret, headers, body.replace('"type"', '"typ"')));
statuses.push(receive(secret, { ...headers, "webhook-id": "other" }, body));
console.log(statuses.join(" "));
"""
_PHP_MAIN = """
$message = json_decode(file_get_contents('message.json'), true);
[$headers, $body, $secret] = [$message['headers'], $message['body'], $message['secrets'][0]];
foreach ([...$message['secrets'], $message['other']] as $each) {
    echo receive($each, $headers, $body), "\\n";
}
echo receive($secret, $headers, str_replace('"type"', '"typ"', $body)), "\\n";
echo receive($secret, ['webhook-id' => 'other'] + $headers, $body), "\\n";
"""


def write(folder: Path, language: str) -> list[Path]:
    """Writes each operation's code in `python` or `typescript` into a file; returns the files."""
    suffix = {"python": "py", "typescript": "ts"}[language]
    files = []
    for methods in interface()["paths"].values():
        for operation in methods.values():
            [code] = [s["source"] for s in operation["x-codeSamples"] if s["lang"] == language]
            file = folder / f"{operation['operationId'].replace('.', '_')}_sample.{suffix}"
            # A file that imports nothing by a name of its own is no module to TypeScript.
            file.write_text(code + ("\nexport {};\n" if suffix == "ts" else "\n"), "utf-8")
            files.append(file)
    return files


def block(guide: Path, language: str) -> str:
    """What a guide shows in a language."""
    [code] = re.findall(rf"^```{language}\n(.*?)^```$", guide.read_text("utf-8"), re.M | re.S)
    return str(code)


def write_message(folder: Path) -> None:
    """A write-back as the service sends it, of the description's example."""
    described: dict[str, Any] = interface()["webhooks"]["writeBack"]["post"]
    [content] = described["requestBody"]["content"].values()
    body = json.dumps(content["example"])
    headers = signed_headers("message", datetime.now(UTC), body.encode(), _SECRETS)
    message = {"secrets": _SECRETS, "other": _OTHER, "headers": headers, "body": body}
    (folder / "message.json").write_text(json.dumps(message), "utf-8")


def verify_in_typescript(folder: Path, compiler: Path, guide: Path) -> bool:
    """Runs a guide's code on a message, and on ones that were changed; False without npm."""
    write_message(folder)
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    (folder / "receive.ts").write_text(block(guide, "ts"), "utf-8")
    (folder / "main.mjs").write_text(_MAIN, "utf-8")
    if not _done(folder, "npm", "install", "--silent", "--no-save", STANDARD_WEBHOOKS):
        return False
    types = ("--types", "node", "--typeRoots", str(compiler.parent.parent / "@types"))
    assert _done(folder, str(compiler), *_STRICT, *types, "receive.ts")
    process = subprocess.run(
        ["node", "main.mjs"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert process.stdout.splitlines()[-1:] == [" ".join(_STATUSES)], (
        process.stdout,
        process.stderr,
    )
    return True


def verify_in_php(folder: Path, guide: Path) -> bool:
    """The same in PHP, where it is installed with its library beside composer."""
    if shutil.which("php") is None or shutil.which("composer") is None:
        return False
    write_message(folder)
    if not _done(folder, "composer", "require", "--quiet", "standard-webhooks/standard-webhooks"):
        return False
    code = block(guide, "php").replace("<?php", "<?php require 'vendor/autoload.php';", 1)
    (folder / "main.php").write_text(code + _PHP_MAIN, "utf-8")
    process = subprocess.run(
        ["php", "main.php"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert [line for line in process.stdout.split() if line in _STATUSES] == _STATUSES
    return True


def _done(folder: Path, *command: str) -> bool:
    return subprocess.run(command, cwd=folder, check=False).returncode == 0
