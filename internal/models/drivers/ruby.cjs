// Runs ruby.rb in Ruby. Ruby is built for WebAssembly, so the texts are given to a function.
const { readFileSync } = require("node:fs");
const { DefaultRubyVM } = require("@ruby/wasm-wasi/dist/node");
const { write } = require("./lines.cjs");

(async () => {
  const module = await WebAssembly.compile(readFileSync(require.resolve("@ruby/4.0-wasm-wasi/dist/ruby+stdlib.wasm")));
  const { vm } = await DefaultRubyVM(module);
  vm.eval(readFileSync(process.argv[2], "utf8"));
  write(vm.eval("method(:answers)").call("call", vm.eval(JSON.stringify(readFileSync(0, "utf8")).replaceAll("#", "\\u0023"))).toString());
  process.exit(0);
})();
