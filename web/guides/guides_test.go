package guides

import (
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/filmstrip/filmstrip/docs"
)

func load(t *testing.T, files map[string]string) (*Site, error) {
	t.Helper()
	system := fstest.MapFS{}
	for name, text := range files {
		system[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return Load(system)
}

// TestLinksOfTheDocumentation proves that every link between guides, resolved as a browser resolves it, leads to a page
// and to a heading on it.
func TestLinksOfTheDocumentation(t *testing.T) {
	site, err := Load(docs.Files)
	if err != nil {
		t.Fatal(err)
	}
	ids := regexp.MustCompile(` id="([^"]+)"`)
	addressOf := func(name string) *url.URL { return &url.URL{Path: path.Join("/docs", name)} }
	targets := map[string]bool{}
	for name, page := range site.pages {
		targets[addressOf(name).Path] = true
		for _, id := range ids.FindAllStringSubmatch(string(page.Content), -1) {
			targets[addressOf(name).Path+"#"+id[1]] = true
		}
	}
	for name, page := range site.pages {
		for _, link := range regexp.MustCompile(`href="([^":]+)"`).FindAllStringSubmatch(string(page.Content), -1) {
			if target, err := addressOf(name).Parse(link[1]); err != nil || !targets[target.String()] {
				t.Errorf("%s: the link %s leads nowhere", name, link[1])
			}
		}
	}
}

func TestPictures(t *testing.T) {
	files := map[string]string{"README.md": "# Home\n\n## Start\n\n- [One](one.md)\n", "one.md": "# One\n\n![A list](pictures/list.png)\n", "pictures/list.png": "x"}
	site, err := load(t, files)
	if err != nil || !strings.Contains(string(site.pages["one"].Content), `<img src="pictures/list.png" alt="A list">`) {
		t.Errorf("the page is %v: %v", site, err)
	}
	delete(files, "pictures/list.png")
	if _, err := load(t, files); err == nil || !strings.Contains(err.Error(), "one.md") {
		t.Errorf("a missing picture leads to %v", err)
	}
}

func TestPages(t *testing.T) {
	site, err := load(t, map[string]string{
		"README.md": "# Home\n\n## Start\n\n- [One](one.md): the first, see [two](two.md)\n- [Two](two.md)\n",
		"one.md": "# First page\n\n## Part A\n\n[two](two.md#b) [home](README.md) [code](../main.go) [out](https://x.example/a.md) [here](#part-a)\n\n" +
			"```bash\necho 1\n```\n\n```js\nlet a = \"<b>\";\n```\n\nText.\n\n```js\nlet b;\n```\n\n<script>alert(1)</script>\n",
		"two.md": "# Two\n\nSome words about pelicans.\n\n## B\n\nThe brown pelican dives.\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(site.Groups) != 1 || len(site.Groups[0].Links) != 2 || site.Groups[0].Links[1] != (Link{"two", "Two"}) {
		t.Errorf("the navigation is %v", site.Groups)
	}
	one := site.pages["one"]
	if one.Title != "First page" || len(one.Headings) != 1 || one.Headings[0] != (Heading{"part-a", "Part A"}) {
		t.Errorf("got %+v", one)
	}
	content := string(one.Content)
	for _, part := range []string{
		`href="two#b"`, `href="../docs"`, `href="https://github.com/filmstrip/filmstrip/blob/main/docs/../main.go"`, `href="https://x.example/a.md"`, `href="#part-a"`,
		`value="curl" checked>curl</label>`, `value="JavaScript">JavaScript</label>`, "&lt;b&gt;",
	} {
		if !strings.Contains(content, part) {
			t.Errorf("the page lacks %s", part)
		}
	}
	if strings.Count(content, "<fieldset") != 1 || strings.Contains(content, "<script") || strings.Contains(content, "style=") {
		t.Errorf("got %s", content)
	}
}

// TestEveryGuideIsInTheContents proves that a guide that the start page does not name, or one without a title, is an
// error.
func TestEveryGuideIsInTheContents(t *testing.T) {
	if _, err := load(t, map[string]string{"README.md": "# Home\n\n## Start\n\n- [One](one.md)\n", "one.md": "# One\n", "two.md": "# Two\n"}); err == nil || !strings.Contains(err.Error(), "two.md") {
		t.Errorf("got %v", err)
	}
	if _, err := load(t, map[string]string{"README.md": "# Home\n\n## Start\n\n- [One](one.md)\n", "one.md": "No title.\n"}); err == nil || !strings.Contains(err.Error(), "one.md") {
		t.Errorf("got %v", err)
	}
}

func TestSearch(t *testing.T) {
	site, err := load(t, map[string]string{
		"README.md": "# Home\n\n## Start\n\n- [One](one.md)\n- [Two](two.md)\n",
		"one.md":    "# One\n\nA brown bear and a pelican; " + strings.Repeat("long ", 100) + "\n",
		"two.md":    "# Two\n\nNothing.\n\n## The *brown* pelican\n\nIt dives for Häuser.\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"pelican brown": "two#the-brown-pelican one#one", "PELI": "two#the-brown-pelican one#one", "elican": "", "häuser": "two#the-brown-pelican",
		"nothing": "two#two", "": "", "a b c d e f g h i": "",
	} {
		var got []string
		for _, result := range site.Search(query) {
			got = append(got, result.Name+"#"+result.ID)
			if len(result.Excerpt) > 250 {
				t.Errorf("%q: the excerpt has %d bytes", query, len(result.Excerpt))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}
