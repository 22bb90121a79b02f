package transfer

import (
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/sync"
	"locus/transfer/internal/tree"
)

// Names of the packages below.
const (
	stateDir    = tree.StateDir
	partSuffix  = fetch.PartSuffix
	stateSuffix = fetch.StateSuffix
	overlap     = fetch.Overlap
	etagsFile   = sync.ETagsFile
	indexName   = "index.html"
	maxParts    = sync.MaxParts
)
