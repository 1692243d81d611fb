package text

import "testing"

func TestWordsThatCount(t *testing.T) {
	for word, want := range map[string]string{"seven": "7", "twenty-one": "21", "dozen": "12", "thousand": "1000",
		"4b": "4b", "12th": "12th", "zero": "0", "one": "", "twenty-ten": "", "tenant": "", "empty": "", "": ""} {
		if got := Digits(word); got != want {
			t.Errorf("%q in digits is %q; want %q", word, got, want)
		}
	}
	if n, ok := Number("one"); n != 1 || !ok {
		t.Errorf("one counts %v, %v", n, ok)
	}
	if n, ok := Number("3rd"); n != 3 || !ok {
		t.Errorf("3rd counts %v, %v", n, ok)
	}
}

func TestWordsThatDeny(t *testing.T) {
	for word, want := range map[string]bool{"not": true, "nobody": true, "needn't": true, "dont": true, "cannot": true,
		"hardly": false, "nonet": false, "know": false, "": false} {
		if Denies(word) != want {
			t.Errorf("%q denies: %v", word, !want)
		}
	}
}
