// Reads URLs as url.parse of Node.js does.
const url = require("node:url");
const { answer } = require("./lines.cjs");

answer("Node.js " + process.versions.node + ", url.parse", (text) => {
  let u;
  try {
    u = url.parse(text);
  } catch {
    return null;
  }
  const [user, password] = u.auth === null ? [null, null] : cut(u.auth, ":");
  return [u.protocol && u.protocol.slice(0, -1), user, password, u.hostname, u.port, u.pathname, u.query, u.hash && u.hash.slice(1)];
});

function cut(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}
