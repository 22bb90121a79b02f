// Package offline makes the pages of a mirrored web site readable from a folder. Its functions
// work on names, texts and URLs, and read no files, so package sync decides which pages are
// fetched and where the copy is.
//
// A page goes through the package in this order:
//
//   - Site.Name gives the page a name in the copy (site.go).
//   - Links finds the URLs to which the page leads, and References also finds the parts that the
//     page loads, such as images and style sheets (links.go). IsListing recognizes a directory
//     page (page.go).
//   - When the mirror has all pages, Page.Convert replaces the URLs in the page by relative ones
//     that work in the copy (convert.go).
package offline
