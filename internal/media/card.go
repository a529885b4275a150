package media

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Card is the content of a title card, which serves as a video's poster.
type Card struct {
	Title, Channel, Subject string
	// Color is the background. White text must be readable on it.
	Color color.RGBA
}

// The layout of a card, in parts of its width. Cards are 16:9.
const (
	cardMargin     = 0.07
	cardSubject    = 0.034 // font sizes
	cardChannel    = 0.04
	cardTitle      = 0.072
	cardSmallest   = 0.048 // of the title
	cardTitleLines = 3
	cardLeading    = 1.18 // line height in parts of the font size
	cardTitleTop   = 0.165
)

// cardFont parses a font of the binary once.
func cardFont(text []byte) func() *opentype.Font {
	return sync.OnceValue(func() *opentype.Font {
		parsed, err := opentype.Parse(text)
		must(err)
		return parsed
	})
}

var (
	boldFont    = cardFont(gobold.TTF)
	regularFont = cardFont(goregular.TTF)
)

// draw draws the card with a width in pixels.
func (c *Card) draw(width int) (asset, error) {
	picture := image.NewRGBA(image.Rect(0, 0, width, (width*9+8)/16))
	c.drawBackground(picture)
	pen := cardPen{picture: picture, width: float64(width)}
	pen.write(regularFont, cardSubject, cardMargin, cardMargin+cardSubject, color.RGBA{255, 255, 255, 255}, strings.ToUpper(c.Subject))
	size, lines := pen.fit(c.Title)
	for i, line := range lines {
		baseline := cardTitleTop + size + float64(i)*size*cardLeading
		pen.write(boldFont, size, cardMargin, baseline, color.RGBA{255, 255, 255, 255}, line)
	}
	pen.write(regularFont, cardChannel, cardMargin, 9.0/16-cardMargin, color.RGBA{255, 255, 255, 255}, c.Channel)
	var encoded bytes.Buffer
	if err := jpeg.Encode(&encoded, picture, &jpeg.Options{Quality: jpegQuality + 8}); err != nil {
		return asset{}, err
	}
	return newAsset(encoded.Bytes(), "image/jpeg"), nil
}

// drawBackground fills the picture with the card's color, darker towards the bottom, and draws the perforation of a
// filmstrip along the right edge.
func (c *Card) drawBackground(picture *image.RGBA) {
	size := picture.Bounds().Size()
	for y := range size.Y {
		shade := 1 - 0.45*float64(y)/float64(size.Y)
		line := color.RGBA{uint8(float64(c.Color.R) * shade), uint8(float64(c.Color.G) * shade), uint8(float64(c.Color.B) * shade), 255}
		draw.Draw(picture, image.Rect(0, y, size.X, y+1), image.NewUniform(line), image.Point{}, draw.Src)
	}
	hole := max(2, size.X/40)
	for y := hole / 2; y < size.Y; y += 2 * hole {
		at := image.Rect(size.X-2*hole, y, size.X-hole, y+hole)
		draw.Draw(picture, at, image.NewUniform(color.NRGBA{255, 255, 255, 40}), image.Point{}, draw.Over)
	}
}

// cardPen writes text on a card. Its sizes and positions are in parts of the card's width.
type cardPen struct {
	picture *image.RGBA
	width   float64
}

// face returns a font at a size. Hinting is off, so that text of every card size has the same proportions.
func (p *cardPen) face(of func() *opentype.Font, size float64) font.Face {
	face, err := opentype.NewFace(of(), &opentype.FaceOptions{Size: size * p.width, DPI: 72, Hinting: font.HintingNone})
	must(err)
	return face
}

func (p *cardPen) write(of func() *opentype.Font, size, left, baseline float64, ink color.RGBA, text string) {
	drawer := font.Drawer{
		Dst: p.picture, Src: image.NewUniform(ink), Face: p.face(of, size),
		Dot: fixed.Point26_6{X: fixed.Int26_6(left * p.width * 64), Y: fixed.Int26_6(baseline * p.width * 64)},
	}
	drawer.DrawString(text)
}

// fit returns the largest font size at which a title fits into the lines of a card, and these lines. A title that does
// not fit at the smallest size ends with an ellipsis.
func (p *cardPen) fit(title string) (size float64, lines []string) {
	for size = cardTitle; size >= cardSmallest; size -= 0.004 {
		if lines = p.wrap(title, size); len(lines) <= cardTitleLines {
			return size, lines
		}
	}
	lines = lines[:cardTitleLines+1]
	lines[cardTitleLines] += "…"
	return size, lines
}

// wrap breaks a text into lines that fit beside the perforation. A word that is wider than a line has a line of its own.
func (p *cardPen) wrap(text string, size float64) (lines []string) {
	face, room := p.face(boldFont, size), fixed.Int26_6((1-2.4*cardMargin)*p.width*64)
	line := ""
	for word := range strings.FieldsSeq(text) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && font.MeasureString(face, longer) > room {
			lines, longer = append(lines, line), word
		}
		line = longer
	}
	return append(lines, line)
}
