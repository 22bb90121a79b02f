// Runs a script of PHP 8.5. PHP is built for WebAssembly, so the texts are in a file.
const { readFileSync } = require("node:fs");
const { getPHPLoaderModule } = require("@php-wasm/node-8-5");
const { loadPHPRuntime, PHP } = require("@php-wasm/universal");
const { write } = require("./lines.cjs");

(async () => {
  const php = new PHP(await loadPHPRuntime(await getPHPLoaderModule(), { processId: 1 }));
  php.writeFile("/texts", readFileSync(0));
  php.writeFile("/script.php", readFileSync(process.argv[2]));
  const result = await php.run({ scriptPath: "/script.php" });
  if (result.exitCode !== 0) throw new Error(result.text + result.errors);
  write(result.text);
  process.exit(0);
})();
