"""Ed25519 keys: made, read from PEM or OpenSSH files, and named by their fingerprints. A private key is never shown."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import struct
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.settings import secret

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PASSPHRASE = "ASSAY_KEY_PASSPHRASE"
"""The environment variable with the passphrase of a key file."""
PUBLIC_BYTES = 32
FIELD = 2**255 - 19
CURVE_D = -121665 * pow(121666, -1, FIELD) % FIELD
"""The curve of Ed25519 (RFC 8032, 5.1)."""
LARGEST_FILE = 1 << 16
"""Bytes that a key file may have."""


def new_key(path: Path) -> str:
    """Make a key, write it as PEM that only its owner may read, and return its public part in base64.

    With ASSAY_KEY_PASSPHRASE the file is encrypted.

    Raises:
        AssayError: something lies there already, or it cannot be written.
    """
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    passphrase = secret(PASSPHRASE)
    locked: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if passphrase:
        locked = serialization.BestAvailableEncryption(os.fsencode(passphrase))
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, locked)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(pem)
        except OSError:
            path.unlink(missing_ok=True)
            raise
    except FileExistsError:
        raise AssayError(f"{path} is there already", "a key is never written over: choose another name") from None
    except OSError as error:
        raise AssayError(f"{path} cannot be written: {error.strerror}", "choose another place for the key") from None
    return public_part(key)


def read_key(path: Path) -> Ed25519PrivateKey:
    """The private key in a PEM or OpenSSH file.

    Raises:
        AssayError: it cannot be read, others may read it too, is encrypted and ASSAY_KEY_PASSPHRASE does not open it, or is
            no Ed25519 key.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    raw = _bytes(path)
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise AssayError(f"{path} can be read by others than its owner", f"chmod 600 {path}")
    load = serialization.load_ssh_private_key if b"OPENSSH PRIVATE KEY" in raw else serialization.load_pem_private_key
    passphrase = os.fsencode(secret(PASSPHRASE) or "") or None
    try:
        try:
            key = load(raw, passphrase)
        except TypeError:
            if passphrase is None:
                raise AssayError(f"{path} is encrypted", f"give its passphrase in {PASSPHRASE}") from None
            key = load(raw, None)  # it is not encrypted, whatever the variable is there for
    except UnsupportedAlgorithm as error:
        hint = "install what it needs, or make a key with `assay new key`"
        raise AssayError(f"{path} cannot be read: {error}", hint) from None
    except ValueError:
        # What the library says of a wrong passphrase and of a broken file differs from version to version.
        hint = f"give the file of `assay new key`, unchanged{', and its own ' + PASSPHRASE if passphrase else ''}"
        raise AssayError(f"{path} holds no private key that can be read", hint) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise AssayError(f"{path} is no Ed25519 key", "make one with `assay new key`, or ssh-keygen -t ed25519")
    return key


def _bytes(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():  # a pipe or a device might never end
            raise AssayError(f"{path} is no file", "give the file of a key")
        with path.open("rb") as file:
            return file.read(LARGEST_FILE)
    except OSError as error:
        raise AssayError(f"{path} cannot be read: {error.strerror}", "give the file of a key") from None


def public_part(key: Ed25519PrivateKey) -> str:
    """The public part of a key: 32 bytes in base64."""
    return base64.b64encode(key.public_key().public_bytes_raw()).decode()


def read_public_key(named: str) -> str:
    """A public key, from base64 as `assay new key` prints it, or from a file with that, a PEM or an OpenSSH public key.

    Returns:
        32 bytes in base64.

    Raises:
        AssayError: it is neither.
    """
    if key_bytes(named) is not None:
        return named
    text = _bytes(Path(named)).strip()
    if b"PRIVATE KEY" in text:
        raise AssayError(f"{named} holds a private key", "give its public part, and keep the private one to yourself")
    found = text.decode(errors="replace")
    if key_bytes(found) is not None:
        return found
    return _loaded(text, named)


def _loaded(raw: bytes, named: str) -> str:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    for load in (serialization.load_pem_public_key, serialization.load_ssh_public_key):
        with suppress(ValueError, UnsupportedAlgorithm):
            key = load(raw)
            if isinstance(key, Ed25519PublicKey) and not _worthless(key.public_bytes_raw()):
                return base64.b64encode(key.public_bytes_raw()).decode()
    raise AssayError(
        f"{named} holds no Ed25519 public key", "give what `assay new key` printed, or the .pub file of ssh-keygen"
    )


def key_bytes(public_key: str) -> bytes | None:
    """The bytes of a public key in base64; `None` for anything else, another spelling of the same key included, and for one
    under which anybody can sign."""
    raw = decoded(public_key)
    return raw if raw is not None and len(raw) == PUBLIC_BYTES and not _worthless(raw) else None


def _worthless(public: bytes) -> bool:
    """Whether 32 bytes are a public key under which anybody can sign, or a second spelling of another one.

    A point of small order (1, 2, 4 or 8) makes signatures hold that nobody with a private key made; RFC 8032 leaves it to the
    application to refuse them. Its y is 1, -1, 0 or a root of d y^4 + 2 y^2 = 1, where the curve is -x^2 + y^2 = 1 + d x^2 y^2.
    """
    y = int.from_bytes(public, "little") & ((1 << 255) - 1)
    if y >= FIELD:
        return True
    square = y * y % FIELD
    return y in (0, 1, FIELD - 1) or (CURVE_D * square * square + 2 * square - 1) % FIELD == 0


def decoded(text: str) -> bytes | None:
    """What base64 stands for, where it is written in its one canonical way."""
    try:
        raw = base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error, ValueError):
        return None
    return raw if base64.b64encode(raw).decode() == text else None


def fingerprint_of(public_key: str) -> str:
    """A public key's fingerprint, as `ssh-keygen -l` shows it; what is no key has none."""
    raw = key_bytes(public_key)
    if raw is None:
        return "(no key)"
    kind = b"ssh-ed25519"
    blob = struct.pack(">I", len(kind)) + kind + struct.pack(">I", len(raw)) + raw
    return "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")
