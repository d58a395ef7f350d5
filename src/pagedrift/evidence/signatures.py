"""Signatures of WACZ files by a key of the user, as the specification of signed WACZ describes anonymous ones.

What is signed is the hash of `datapackage.json`, which holds the hashes of all other files.
"""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from pagedrift.archive.writer import software
from pagedrift.errors import InputError
from pagedrift.extras import need

if TYPE_CHECKING:
    from pathlib import Path

_ASYMMETRIC: Final = "cryptography.hazmat.primitives.asymmetric"
_BYTES: Final = 48  # of each half of a signature: those of the curve P-384


def make_key(path: Path) -> None:
    """Write a new private key, which only its owner can read; never over another file."""
    curves, serialization = (
        need("sign", f"{_ASYMMETRIC}.ec"),
        need("sign", "cryptography.hazmat.primitives.serialization"),
    )
    data = curves.generate_private_key(curves.SECP384R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
    except FileExistsError:
        raise InputError(f"{path} already exists; name another file, or sign with it: --key {path}") from None


def load_key(path: Path) -> Any:
    """Read a private key; refuse what cannot sign."""
    serialization, curves = (
        need("sign", "cryptography.hazmat.primitives.serialization"),
        need("sign", f"{_ASYMMETRIC}.ec"),
    )
    try:
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check its name and permissions") from None
    except (TypeError, ValueError):
        key = None
    if not isinstance(key, curves.EllipticCurvePrivateKey) or key.curve.name != "secp384r1":
        raise InputError(
            f"{path} is not a key of the curve P-384 without a password; make one with: --new-key FILE"
        )
    return key


def sign(key: Any, digest: str) -> dict[str, str]:
    """Sign the hash of a data package."""
    curves, hashes = need("sign", f"{_ASYMMETRIC}.ec"), need("sign", "cryptography.hazmat.primitives.hashes")
    utils = need("sign", f"{_ASYMMETRIC}.utils")
    first, second = utils.decode_dss_signature(key.sign(digest.encode(), curves.ECDSA(hashes.SHA256())))
    return {
        "hash": digest,
        "signature": b64encode(first.to_bytes(_BYTES, "big") + second.to_bytes(_BYTES, "big")).decode(),
        "publicKey": b64encode(_public(key.public_key())).decode(),
        "created": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "software": software(),
    }


def is_signed(signed: dict[str, str], digest: str) -> bool:
    """Return whether signed data is about this hash, and its signature fits."""
    serialization, curves = (
        need("sign", "cryptography.hazmat.primitives.serialization"),
        need("sign", f"{_ASYMMETRIC}.ec"),
    )
    hashes, utils = need("sign", "cryptography.hazmat.primitives.hashes"), need("sign", f"{_ASYMMETRIC}.utils")
    wrong = need("sign", "cryptography.exceptions").InvalidSignature
    try:
        raw, public = b64decode(signed["signature"]), b64decode(signed["publicKey"])
        halves = (int.from_bytes(raw[:_BYTES], "big"), int.from_bytes(raw[_BYTES:], "big"))
        key = serialization.load_der_public_key(public)
        key.verify(utils.encode_dss_signature(*halves), digest.encode(), curves.ECDSA(hashes.SHA256()))
    except (KeyError, TypeError, ValueError, AttributeError, wrong):
        return False
    return signed.get("hash") == digest


def _public(key: Any) -> bytes:
    serialization = need("sign", "cryptography.hazmat.primitives.serialization")
    data: bytes = key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return data
