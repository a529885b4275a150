package generate

import (
	"time"

	"github.com/filmstrip/filmstrip/event"
)

// calendar spreads events over hours, more over some than over others.
type calendar struct {
	from  event.Instant
	count int64
	// weights are those of the hours, total their sum.
	weights []int64
	total   int64
	// hour is where the last moment was, before the sum of the weights of the hours before it.
	hour   int
	before int64
}

func newCalendar(options EventOptions) *calendar {
	c := &calendar{from: options.From, count: int64(options.Count)}
	for at := options.From; at+event.Hour <= options.To; at += event.Hour {
		weight := weightOf(at.Time())
		c.weights = append(c.weights, weight)
		c.total += weight
	}
	return c
}

// weightOf is how much is watched in an hour: lessons, evenings, weekends, holidays in summer.
func weightOf(hour time.Time) int64 {
	day, hours := hour.Weekday(), hour.Hour()
	weight := int64(1)
	switch {
	case day == time.Saturday || day == time.Sunday:
		weight = 2
	case hours >= 8 && hours < 16:
		weight = 12
	case hours >= 16 && hours < 22:
		weight = 4
	}
	if month := hour.Month(); weight > 1 && (month == time.July || month == time.August) {
		weight /= 2
	}
	return weight
}

// moment is when the event of a number was received. Numbers are asked for in their order.
func (c *calendar) moment(number int) event.Instant {
	place := int64(number) * c.total
	for (c.before+c.weights[c.hour])*c.count <= place {
		c.before += c.weights[c.hour]
		c.hour++
	}
	into := (place - c.before*c.count) * int64(event.Hour) / (c.weights[c.hour] * c.count)
	return c.from + event.Instant(c.hour)*event.Hour + event.Instant(into)
}
