# Harvests a list with HTTP::OAI, the Perl client that EPrints and others use.
# perl http_oai.pl BASE_URL VERB METADATA_PREFIX [NAME VALUE ...]: a line for each record, its status, a space, its
# identifier. NAME is one of `set`, `from` and `until`.
use strict;
use warnings;
use HTTP::OAI;

my ($base_url, $verb, $metadata_prefix, %wanted) = @ARGV;
my $harvester = HTTP::OAI::Harvester->new(baseURL => $base_url);

# It follows the tokens itself; only what is given a callback sees the records of every page.
my $answer = $harvester->$verb(
    metadataPrefix => $metadata_prefix,
    %wanted,
    onRecord => sub {
        my $record = shift;
        die "no metadata in " . $record->identifier
            unless $verb eq "ListIdentifiers" || $record->is_deleted || $record->metadata;
        print $record->is_deleted ? "deleted" : "live", " ", $record->identifier, "\n";
    },
);
die $answer->message if $answer->is_error;
