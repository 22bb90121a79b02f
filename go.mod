module locus

go 1.26
