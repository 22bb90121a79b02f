// Lines of JSON: the texts on stdin, and the answers on stdout.
const { readFileSync, writeSync } = require("node:fs");

// answer writes the name of the software, and the answer of read to each text.
exports.answer = (software, read) => {
  const answers = texts().map(read);
  write([software, ...answers].map((a) => JSON.stringify(a) + "\n").join(""));
};

// texts returns the texts.
function texts() {
  return readFileSync(0, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
}
exports.texts = texts;

// write writes all of the text, also to a pipe.
function write(text) {
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (e) {
      if (e.code !== "EAGAIN") throw e;
    }
  }
}
exports.write = write;
