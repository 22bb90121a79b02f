<?php
// Reads URLs as parse_url does.
function read($text)
{
    $parts = parse_url($text);
    if ($parts === false) {
        return null;
    }
    return array_map(fn($name) => isset($parts[$name]) ? (string) $parts[$name] : null,
        ["scheme", "user", "pass", "host", "port", "path", "query", "fragment"]);
}

echo json_encode("PHP " . PHP_VERSION . ", parse_url"), "\n";
foreach (file("/texts") as $line) {
    echo json_encode(read(json_decode($line)), JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
