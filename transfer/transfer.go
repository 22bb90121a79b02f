// Package transfer moves resources into files.
package transfer
