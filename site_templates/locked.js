"use strict";
// Opens the page that is locked in this file. Nothing is fetched and nothing is stored.
(() => {
  const part = (id) => document.getElementById(id);
  const form = part("form"), field = part("passphrase"), button = part("open");
  const say = (text) => { part("said").textContent = text; };

  if (!(self.crypto && crypto.subtle && self.DecompressionStream && self.TextDecoderStream)) {
    say("This browser cannot open the page: it is too old, or it gives files on this device no " +
      "cryptography. A current Chrome, Edge or Firefox can.");
    return;
  }
  form.hidden = false;
  field.focus();

  function bytes(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const chars = atob(text), out = new Uint8Array(chars.length);
    for (let at = 0; at < chars.length; at++) out[at] = chars.charCodeAt(at);
    return out;
  }

  const lock = JSON.parse(part("lock").textContent);

  async function key(words) {
    const raw = new TextEncoder().encode(words.normalize("NFC"));
    const known = await crypto.subtle.importKey("raw", raw, "PBKDF2", false, ["deriveKey"]);
    const how = { name: "PBKDF2", hash: "SHA-256", salt: bytes(lock.salt), iterations: lock.iterations };
    return crypto.subtle.deriveKey(how, known, { name: "AES-GCM", length: 256 }, false, ["decrypt"]);
  }

  // What was sealed, or null where the passphrase is another one.
  async function opened(words) {
    const lines = part("sealed").textContent.trim().split("\n").map(bytes);
    const sealed = await new Blob(lines).arrayBuffer();
    const beside = new TextEncoder().encode(`memshelf-lock/${lock.version}/${lock.iterations}`);
    const how = { name: "AES-GCM", iv: bytes(lock.nonce), additionalData: beside };
    return crypto.subtle.decrypt(how, await key(words), sealed).catch((trouble) => {
      if (trouble.name !== "OperationError") throw trouble;
      return null;
    });
  }

  // The page takes the place of this one, piece by piece as it is unpacked.
  async function show(packed) {
    const text = new Blob([packed]).stream()
      .pipeThrough(new DecompressionStream("gzip")).pipeThrough(new TextDecoderStream()).getReader();
    document.open();
    for (let next = await text.read(); !next.done; next = await text.read()) document.write(next.value);
    document.close();
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    say("Opening …");
    try {
      const packed = await opened(field.value);
      if (packed) return await show(packed);
      say("That is not the passphrase. The page is as it was: try again.");
      field.select();
    } catch (trouble) {
      say(`The page cannot be opened here: ${trouble.message}`);
    } finally {
      button.disabled = false;
    }
  });
})();
