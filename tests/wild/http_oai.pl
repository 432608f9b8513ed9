# Harvests a whole repository with HTTP::OAI, the Perl client that EPrints and others use.
# perl http_oai.pl BASE_URL METADATA_PREFIX: a line for each record, its status, a space, its identifier.
use strict;
use warnings;
use HTTP::OAI;

my ($base_url, $metadata_prefix) = @ARGV;
my $harvester = HTTP::OAI::Harvester->new(baseURL => $base_url);

# It follows the tokens itself; only what is given a callback sees the records of every page.
my $answer = $harvester->ListRecords(
    metadataPrefix => $metadata_prefix,
    onRecord => sub {
        my $record = shift;
        die "no metadata in " . $record->identifier unless $record->is_deleted || $record->metadata;
        print $record->is_deleted ? "deleted" : "live", " ", $record->identifier, "\n";
    },
);
die $answer->message if $answer->is_error;
