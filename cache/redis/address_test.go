package redis_test

import (
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/cache/redis"
)

func TestValidate(t *testing.T) {
	for _, good := range []string{
		"redis://localhost",
		"redis://localhost/",
		"redis://localhost:6380/3",
		"redis://:secret@[::1]:6379",
		"redis://user:p%40ss%2Fw@127.0.0.1",
		"rediss://user@redis.example",
		"redis+sentinel://a:1,b:2,c/main",
		"rediss+sentinel://user:secret@a:1,b:2/main/2?sentinel_user=watcher",
		"redis+sentinel://a:1/main?sentinel_user=watcher&sentinel_password=p%40ss%2Fw",
		"redis+cluster://a:1",
		"rediss+cluster://:secret@a:1,[::1]:2/0",
	} {
		if err := redis.Validate(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, names := range map[string]string{
		"":                                    "begins with",
		"localhost:6379":                      "begins with",
		"http://localhost":                    "begins with",
		"redis+sentinels://a/main":            "begins with",
		"redisss://a":                         "begins with",
		"redis://":                            `""`,
		"redis://a:":                          `"a:"`,
		"redis://a:port":                      `"a:port"`,
		"redis://a:0":                         `"a:0"`,
		"redis://a:65536":                     `"a:65536"`,
		"redis://a:1:2":                       `"a:1:2"`,
		"redis://::1":                         `"::1"`,
		"redis://a,b":                         "several hosts",
		"redis+cluster://a,,b":                `""`,
		"redis://a/one":                       `"one"`,
		"redis://a/-1":                        `"-1"`,
		"redis://a/1/2":                       `"1/2"`,
		"redis://a?pool_size=3":               `"pool_size"`,
		"redis://a#part":                      `"#part"`,
		"redis+sentinel://a":                  "names the master",
		"redis+sentinel://a/main/x":           `"x"`,
		"redis+sentinel://a/main?master=main": `"master"`,
		"redis+cluster://a/1":                 "database 1",
	} {
		if err := redis.Validate(bad); err == nil || !strings.Contains(err.Error(), names) {
			t.Errorf("%s: %v, want an error that names %s", bad, err, names)
		}
	}
}

// TestValidateDoesNotShowPasswords checks that errors show no part of a password. An unescaped password can split the
// URL anywhere.
func TestValidateDoesNotShowPasswords(t *testing.T) {
	for _, bad := range []string{
		"redis://:topsecret@a:port",
		"redis://user:top/secret@a",
		"redis://user:12/topsecret@a",
		"redis://user:top?secret@a",
		"redis://user:12?topsecret@a",
		"redis://user:top#secret@a",
		"redis://user:topsecret%@a",
		"redis://user:top%zzsecret@a",
		"redis://x@user:12/topsecret@a",
		"http://user:topsecret@a",
		"redis+cluster://user:topsecret@a/7",
		"redis+sentinel://user:topsecret@a",
		"redis+sentinel://a/main?sentinel_password=top#secret",
		"redis+sentinel://a/main?sentinel_password=1&topsecret",
		"redis+sentinel://a/main?sentinel_password=topsecret%",
		"redis+sentinel://a/main?sentinel_password=topsecret;x",
		"redis://a?sentinel_password=topsecret",
	} {
		err := redis.Validate(bad)
		if err == nil {
			t.Errorf("%s is accepted", bad)
		} else if strings.Contains(err.Error(), "top") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestOpenRefusesWhatCannotBeMeant(t *testing.T) {
	for name, options := range map[string]redis.Options{
		"no URL":               {},
		"braces in the prefix": {URL: "redis://127.0.0.1:1", Namespace: "a{b}"},
		"TLS without rediss":   {URL: "redis://127.0.0.1:1", TLS: trusting(t, "")},
	} {
		if c, err := redis.Open(t.Context(), options); err == nil {
			_ = c.Close()
			t.Errorf("%s: no error", name)
		}
	}
}
