package transfer

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"locus/url"
)

func TestEventJSON(t *testing.T) {
	u := url.MustParse("http://u:secret@h/a")
	for _, tt := range []struct {
		event Event
		want  string
	}{
		{Event{Kind: Started, URL: u, Name: "a", Size: -1}, `{"event":"started","url":"http://u:xxxxx@h/a","name":"a","done":0,"size":null}`},
		{Event{Kind: Progress, URL: u, Name: "a", Done: 3, Size: 9}, `{"event":"progress","url":"http://u:xxxxx@h/a","name":"a","done":3,"size":9}`},
		{Event{Kind: Retrying, URL: u, Size: -1, Wait: 1500 * time.Millisecond, Err: errors.New("x")}, `{"event":"retrying","url":"http://u:xxxxx@h/a","name":null,"done":0,"size":null,"wait":1.5,"error":"x"}`},
		{Event{Kind: Failed, URL: u, Size: -1, Err: errors.New("x")}, `{"event":"failed","url":"http://u:xxxxx@h/a","name":null,"done":0,"size":null,"error":"x","exit":1}`},
		{Event{Kind: Done, URL: u, Name: "a", Done: 9, Size: 9}, `{"event":"done","url":"http://u:xxxxx@h/a","name":"a","done":9,"size":9,"exit":0}`},
		{Event{Kind: Deleted, Name: "a", Size: -1}, `{"event":"deleted","url":null,"name":"a","done":0,"size":null}`},
	} {
		got, err := json.Marshal(tt.event.JSON())
		if err != nil || string(got) != tt.want {
			t.Errorf("JSON of %+v = %s, %v, want %s", tt.event, got, err, tt.want)
		}
	}
}
