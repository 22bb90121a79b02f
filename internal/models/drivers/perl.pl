# Reads URLs as URI->new does, without default ports.
use strict;
use warnings;
use JSON::PP;
use URI;

my $json = JSON::PP->new->ascii->allow_nonref;
binmode STDIN, ":raw";
printf "%s\n", $json->encode(sprintf("Perl %vd, URI %s, URI->new", $^V, $URI::VERSION));
while (my $line = <STDIN>) {
    print $json->encode(read_uri($json->decode($line))), "\n";
}

sub read_uri {
    my ($text) = @_;
    my $u = eval { URI->new($text) } or return undef;
    my %part = (scheme => $u->scheme, path => $u->opaque, fragment => $u->fragment);
    for my $name (qw(host port path query)) {
        $part{$name} = $u->$name if $u->can($name);
    }
    my $info = $u->can("userinfo") ? $u->userinfo : undef;
    my ($user, $password) = defined $info ? split(/:/, $info, 2) : ();
    if (defined $part{port}) {
        $part{port} = $part{port} eq $u->default_port ? undef : "$part{port}";
    }
    return [$part{scheme}, $user, $password, @part{qw(host port path query fragment)}];
}
