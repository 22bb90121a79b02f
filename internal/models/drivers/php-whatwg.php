<?php
// Reads URLs as Uri\WhatWg\Url does.
function read($text)
{
    try {
        $u = new Uri\WhatWg\Url($text);
    } catch (Uri\WhatWg\InvalidUrlException) {
        return null;
    }
    $port = $u->getPort();
    return [$u->getScheme(), $u->getUsername(), $u->getPassword(), $u->getAsciiHost(),
        $port === null ? null : (string) $port, $u->getPath(), $u->getQuery(), $u->getFragment()];
}

echo json_encode("PHP " . PHP_VERSION . ", Uri\\WhatWg\\Url"), "\n";
foreach (file("/texts") as $line) {
    echo json_encode(read(json_decode($line)), JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
