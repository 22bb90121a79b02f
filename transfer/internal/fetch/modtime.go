package fetch

import "time"

// IsSameTime reports whether remote, the modification time that a server gives, is the time of a
// local file. Because some servers give only the minute or the day, a remote time without seconds
// is compared with the local minute, and a remote midnight also with the local day.
func IsSameTime(remote, local time.Time) bool {
	remote, local = remote.UTC(), local.UTC()
	switch {
	case remote.Truncate(time.Second).Equal(local.Truncate(time.Second)):
		return true
	case HasSeconds(remote):
		return false
	case remote.Equal(local.Truncate(time.Minute)):
		return true
	}
	return remote.Equal(remote.Truncate(24*time.Hour)) && remote.Equal(local.Truncate(24*time.Hour))
}

// HasSeconds reports whether t is surely more exact than a minute. It is false if the seconds and
// their fraction are 0.
func HasSeconds(t time.Time) bool { return t.Second() != 0 || t.Nanosecond() != 0 }
