"""Signatures: who vouches for which record, and that none can be forged, reworded, moved or taken out unseen."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from assay.decisions.keys import PASSPHRASE, fingerprint_of, new_key, public_part, read_key, read_public_key
from assay.decisions.recording import read_record, write_record
from assay.decisions.signing import Signer, key_problems, look_alikes, sign, signature_problems
from assay.errors import AssayError
from decision_records import no_file_larger_than, signed_by, small_record


def test_a_key_is_for_its_owner_alone_and_never_written_over(tmp_path: Path) -> None:
    file = tmp_path / "ana.pem"
    public = new_key(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert public_part(read_key(file)) == public
    good = file.read_bytes()
    with pytest.raises(AssayError, match="is there already"):
        new_key(file)
    assert file.read_bytes() == good
    file.chmod(0o644)
    with pytest.raises(AssayError, match="chmod 600"):
        read_key(file)


def test_a_key_that_could_not_be_written_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    with no_file_larger_than(10), pytest.raises(AssayError, match="cannot be written"):
        new_key(tmp_path / "me.pem")
    new_key(tmp_path / "me.pem")


def test_a_passphrase_locks_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, plain = tmp_path / "ana.pem", tmp_path / "plain.pem"
    new_key(plain)
    monkeypatch.setenv(PASSPHRASE, "open sesame")
    public = new_key(file)
    assert b"ENCRYPTED" in file.read_bytes()
    assert public_part(read_key(file)) == public
    read_key(plain)  # the variable is there for another key
    monkeypatch.setenv(PASSPHRASE, "wrong")
    with pytest.raises(AssayError, match="no private key that can be read") as refused:
        read_key(file)
    assert "wrong" not in str(refused.value)
    monkeypatch.delenv(PASSPHRASE)
    with pytest.raises(AssayError, match=f"give its passphrase in {PASSPHRASE}"):
        read_key(file)


def test_keys_of_openssh_are_read_and_have_its_fingerprint(tmp_path: Path) -> None:
    key = Ed25519PrivateKey.generate()
    ssh = serialization.PrivateFormat.OpenSSH
    file = tmp_path / "id_ed25519"
    file.write_bytes(key.private_bytes(serialization.Encoding.PEM, ssh, serialization.NoEncryption()))
    file.chmod(0o600)
    assert public_part(read_key(file)) == public_part(key)
    public = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    (tmp_path / "id_ed25519.pub").write_bytes(public + b" ana@home\n")
    assert read_public_key(str(tmp_path / "id_ed25519.pub")) == public_part(key)
    blob = base64.b64decode(public.split()[1])
    import hashlib

    assert fingerprint_of(public_part(key)) == "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")
    if shutil.which("ssh-keygen"):
        told = subprocess.run(["ssh-keygen", "-l", "-f", file], capture_output=True, text=True, check=True).stdout
        assert fingerprint_of(public_part(key)) in told


def test_what_is_no_ed25519_key_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.pem"
    plain = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    other.write_bytes(generate_private_key(SECP256R1()).private_bytes(*plain))
    nothing = tmp_path / "nothing.pem"
    nothing.write_bytes(b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
    for file, message in ((other, "no Ed25519 key"), (nothing, "no private key"), (tmp_path / "none", "cannot be read")):
        if file.exists():
            file.chmod(0o600)
        with pytest.raises(AssayError, match=message):
            read_key(file)
        with pytest.raises(AssayError):
            read_public_key(str(file))


def test_public_keys_are_read_from_text_and_from_files(tmp_path: Path) -> None:
    public = new_key(tmp_path / "ana.pem")
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public))
    (tmp_path / "text").write_text(public + "\n")
    pem = key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "pem").write_bytes(pem)
    for named in (public, str(tmp_path / "text"), str(tmp_path / "pem")):
        assert read_public_key(named) == public
    with pytest.raises(AssayError, match="holds a private key"):
        read_public_key(str(tmp_path / "ana.pem"))


def test_several_people_sign_one_record(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    digest = write_record(small_record(), path).digest
    signed_by(path, "ana", "bo", "cy")
    record = read_record(path)
    assert [one.name for one in record.signatures] == ["ana", "bo", "cy"]
    assert record.digest == digest
    assert list(signature_problems(record, path)) == []
    for name in ("ana", "bo", "cy"):
        assert f"| {name} | owner |" in path.with_suffix(".md").read_text()
    assert "PRIVATE" not in path.read_text() + path.with_suffix(".md").read_text()


def test_a_signature_can_be_checked_without_assay(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_record(small_record(), path)
    signed_by(path, "ana", "bo")
    plain = json.loads(path.read_text())
    first, second = plain["signatures"]
    said = {key: second[key] for key in ("at", "name", "public_key", "role", "statement")}
    said |= {"record": plain["digest"], "before": [first["signature"]]}
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(second["public_key"]))
    key.verify(base64.b64decode(second["signature"]), b"assay decision record, signature 1\n" + text.encode())


def test_a_key_signs_a_record_once(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_record(small_record(), path)
    signed_by(path, "ana")
    with pytest.raises(AssayError, match="has signed it already"):
        signed_by(path, "ana")


@pytest.mark.parametrize("field", ["name", "role", "at", "statement", "public_key", "signature"])
def test_nothing_of_a_signature_can_be_changed(field: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_record(small_record(), path)
    signed_by(path, "ana", "bo")
    record = read_record(path)
    other = {"public_key": record.signatures[1].public_key, "signature": record.signatures[1].signature}
    forged = msgspec.structs.replace(record.signatures[0], **{field: other.get(field, "2026-01-01T00:00:00Z")})
    found = list(signature_problems(msgspec.structs.replace(record, signatures=(forged, record.signatures[1])), path))
    assert found
    assert "signature 1" in found[0]


def test_names_that_only_look_the_same_are_not_the_same(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_record(small_record(), path)
    new_key(tmp_path / "key.pem")
    key = read_key(tmp_path / "key.pem")
    record = sign(read_record(path), key, Signer("Jos\u00e9", "owner"), path)
    forged = msgspec.structs.replace(record.signatures[0], name="Jose\u0301")
    assert "does not hold" in next(signature_problems(msgspec.structs.replace(record, signatures=(forged,)), path))
    new_key(tmp_path / "other.pem")
    twice = sign(record, read_key(tmp_path / "other.pem"), Signer("Jose\u0301", "owner"), path)
    assert list(signature_problems(twice, path)) == []
    assert len(list(look_alikes(twice))) == 1
    assert list(look_alikes(record)) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana Ruiz", "Аna Ruiz"),
        ("Ana Ruiz", "ANA RUIZ"),
        ("Ana Ruiz", "Ana Ruíz"),
        ("Сосо Ронс", "Coco Pohc"),
        ("Νίκο", "Niko"),
        ("Ilse Ott", "llse Ott"),
        ("Otto 0tt", "Otto Ott"),
    ],
)
def test_names_in_other_letters_that_look_the_same_are_noted(one: str, other: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_record(small_record(), path)
    for number, name in enumerate((one, other, "Bo Li")):
        new_key(tmp_path / f"{number}.pem")
        write_record(sign(read_record(path), read_key(tmp_path / f"{number}.pem"), Signer(name, "owner"), path), path)
    (said,) = look_alikes(read_record(path))
    assert said == f"two signatures read nearly alike, {one!r} and {other!r}, with different letters and different keys"


def test_signatures_cannot_be_taken_out_put_in_another_order_or_moved(tmp_path: Path) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    write_record(small_record(), one)
    write_record(small_record(name="Other"), other)
    signed_by(one, "ana", "bo")
    first, second = read_record(one).signatures
    for signatures in ((second,), (second, first), (first, first), (first, second, second)):
        assert list(signature_problems(msgspec.structs.replace(read_record(one), signatures=signatures), one))
    moved = msgspec.structs.replace(read_record(other), signatures=(first, second))
    assert len(list(signature_problems(moved, other))) == 2


def test_nobody_signs_below_what_does_not_hold(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_record(small_record(), path)
    signed_by(path, "ana")
    record, key = read_record(path), Ed25519PrivateKey.generate()
    forged = msgspec.structs.replace(record.signatures[0], name="Eve")
    with pytest.raises(AssayError, match="does not hold"):
        sign(msgspec.structs.replace(record, signatures=(forged,)), key, Signer("bo", "owner"), path)
    with pytest.raises(AssayError, match="its digest does not fit"):
        sign(msgspec.structs.replace(record, name="Other"), key, Signer("bo", "owner"), path)


@pytest.mark.parametrize(
    ("public_key", "signature"),
    [("", ""), ("AAAA", "AAAA"), ("A" * 44, "B" * 88), ("\u00e9", "x"), (base64.b64encode(bytes(32)).decode(), "=" * 88)],
)
def test_what_is_no_signature_does_not_hold(public_key: str, signature: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_record(small_record(), path)
    signed_by(path, "ana")
    record = read_record(path)
    odd = msgspec.structs.replace(record.signatures[0], public_key=public_key, signature=signature)
    assert list(signature_problems(msgspec.structs.replace(record, signatures=(odd,)), path))


def test_exactly_the_given_keys_must_have_signed(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_record(small_record(), path)
    signed_by(path, "ana", "bo")
    ana, bo = (one.public_key for one in read_record(path).signatures)
    other = base64.b64encode(os.urandom(32)).decode()
    assert list(key_problems(read_record(path), [ana, bo], path)) == []
    assert len(list(key_problems(read_record(path), [ana], path))) == 1
    assert len(list(key_problems(read_record(path), [ana, bo, other], path))) == 1
    assert len(list(key_problems(small_record(), [ana], path))) == 1


SAID = (("", "owner", ""), ("Ana", " ", ""), ("Ana\n", "owner", ""), ("A\u202ena", "owner", ""), ("Ana", "o", "\x1b"))


@pytest.mark.parametrize("said", SAID)
def test_signers_say_what_can_be_read(said: tuple[str, str, str]) -> None:
    with pytest.raises(AssayError, match="--"):
        Signer(*said)
    with pytest.raises(AssayError, match="at most 200"):
        Signer("x" * 201, "owner")
