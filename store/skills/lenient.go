package skills

import (
	"encoding/json"
	"time"
)

// UnmarshalJSON implements [json.Unmarshaler]. What is not as it should be is passed over,
// field by field: a pin counts whatever stands beside it.
func (u *Use) UnmarshalJSON(raw []byte) error {
	return fieldsOf(raw, map[string]any{
		"created_by": &u.CreatedBy, "view_count": &u.Views, "use_count": &u.Uses, "patch_count": &u.Patches, "created_at": &u.Created,
		"last_viewed_at": &u.Viewed, "last_used_at": &u.Used, "last_patched_at": &u.Patched, "state": &u.State,
		"archived_at": &u.Archived, "restored_at": &u.Restored, "pinned": &u.Pinned,
	})
}

// UnmarshalJSON implements [json.Unmarshaler], as that of [Use].
func (s *CuratorState) UnmarshalJSON(raw []byte) error {
	return fieldsOf(raw, map[string]any{
		"last_run_at": &s.Last, "last_run_duration_seconds": &s.Seconds, "last_run_summary": &s.Summary, "paused": &s.Paused, "run_count": &s.Runs,
	})
}

// fieldsOf reads the fields of an object that can be read. Times may be without a zone,
// which is UTC then.
func fieldsOf(raw []byte, into map[string]any) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	for name, value := range fields {
		at, isTime := into[name].(**time.Time)
		switch {
		case into[name] == nil:
		case !isTime:
			_ = json.Unmarshal(value, into[name]) // it stays empty
		default:
			*at = timeOf(value)
		}
	}
	return nil
}

func timeOf(value json.RawMessage) *time.Time {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return nil
	}
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} { // a fraction may follow the seconds
		if at, err := time.Parse(form, text); err == nil {
			return &at
		}
	}
	return nil
}
