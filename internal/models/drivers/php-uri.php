<?php
// Reads URLs as Uri\Rfc3986\Uri does, with the parts as they are written.
function read($text)
{
    try {
        $u = new Uri\Rfc3986\Uri($text);
    } catch (Uri\InvalidUriException) {
        return null;
    }
    $port = $u->getPort();
    return [$u->getRawScheme(), $u->getRawUsername(), $u->getRawPassword(), $u->getRawHost(),
        $port === null ? null : (string) $port, $u->getRawPath(), $u->getRawQuery(), $u->getRawFragment()];
}

echo json_encode("PHP " . PHP_VERSION . ", Uri\\Rfc3986\\Uri"), "\n";
foreach (file("/texts") as $line) {
    echo json_encode(read(json_decode($line)), JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
