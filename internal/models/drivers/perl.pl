# Reads URLs as URI->new does, without default ports. If the class of a scheme does not divide the authority, the
# methods of the schemes with servers do. An opaque part is divided at its question mark.
use strict;
use warnings;
use JSON::PP;
use URI;
use URI::_server;

my $json = JSON::PP->new->ascii->allow_nonref;
binmode STDIN, ":raw";
printf "%s\n", $json->encode(sprintf("Perl %vd, URI %s, URI->new", $^V, $URI::VERSION));
while (my $line = <STDIN>) {
    print $json->encode(read_uri($json->decode($line))), "\n";
}

sub read_uri {
    my ($text) = @_;
    my $u = eval { URI->new($text) };
    return undef unless defined $u;
    my ($user, $password, $host, $port, $path, $query);
    if ($u->isa("URI::_generic")) {
        my $info = $u->isa("URI::file") ? undef : $u->URI::_server::userinfo;
        ($user, $password) = split(/:/, $info, 2) if defined $info;
        if (defined $u->authority) {
            $host = $u->can("host") ? $u->host : $u->URI::_server::host;
            $port = $u->URI::_server::_port unless $u->isa("URI::file");
        }
        ($path, $query) = ($u->path, $u->query);
    }
    else {
        ($path, $query) = split(/\?/, $u->opaque, 2);
    }
    my $default = $u->can("default_port") ? $u->default_port : undef;
    undef $port if defined $port && ($port eq "" || defined $default && $port eq $default);
    if (defined $host && !utf8::is_utf8($host) && !utf8::decode($host)) {
        $host =~ s/([\x80-\xff])/\x{fffd}/g;
    }
    return [$u->scheme, $user, $password, $host, $port, $path, $query, $u->fragment];
}
