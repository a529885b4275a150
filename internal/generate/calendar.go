package generate

import (
	"time"

	"github.com/filmstrip/filmstrip/event"
)

// calendar spreads events over hours, with more in some hours than in others.
type calendar struct {
	from  event.Instant
	count int64
	// weights are the weights of the hours, total is their sum.
	weights []int64
	total   int64
	// hour is the hour of the last moment, before the sum of the weights of earlier hours.
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

// weightOf returns how much is watched in an hour: it reflects lessons, evenings, weekends and summer holidays.
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

// moment returns when the event with a number was received. Numbers must ascend.
func (c *calendar) moment(number int) event.Instant {
	place := int64(number) * c.total
	for (c.before+c.weights[c.hour])*c.count <= place {
		c.before += c.weights[c.hour]
		c.hour++
	}
	into := (place - c.before*c.count) * int64(event.Hour) / (c.weights[c.hour] * c.count)
	return c.from + event.Instant(c.hour)*event.Hour + event.Instant(into)
}
