package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// offer is the load of one process of callers: requests at a steady rate, whether earlier ones have been answered or
// not, spread over connections. If a connection sends a request late because the last one has not been answered, that
// counts as the server's time; if the process itself is late, it does not.
type offer struct {
	Address, Token string
	// Paths are requested in turn. Without any, single events are sent.
	Paths       []string
	Rate        float64 // per second, of all connections
	Connections int
	Time        time.Duration
}

// offered is the result of an offer.
type offered struct {
	Took    map[string][]time.Duration // of successful requests, by path, "" for events
	Late    []time.Duration            // how late the process itself was
	Refused int
	Other   string // why a connection broke
}

// all returns the times of all paths, sorted.
func (o *offered) all() (took []time.Duration) {
	for _, some := range o.Took {
		took = append(took, some...)
	}
	slices.Sort(took)
	return took
}

// quantile returns a quantile of unsorted durations.
func quantile(of []time.Duration, q float64) time.Duration {
	if len(of) == 0 {
		return 0
	}
	of = slices.Sorted(slices.Values(of))
	return of[min(len(of)-1, int(q*float64(len(of))))].Round(10 * time.Microsecond)
}

// offerFlag makes this program one of the processes that offer load.
const offerFlag = "offer"

// run starts another process of this program for the load, with its own priority, because remote callers would take no
// processor time from the server.
func (o offer) run(ctx context.Context, priority ...string) (*offered, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	order, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	arguments := append(priority, self, "-"+offerFlag)
	command := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	command.Stdin, command.Stderr = bytes.NewReader(order), os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(arguments, " "), err)
	}
	var came offered
	return &came, json.Unmarshal(output, &came)
}

// takeOffer runs in that process: it reads the offer from in and writes the result to out.
func takeOffer(in io.Reader, out io.Writer) error {
	var o offer
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return err
	}
	step := time.Duration(float64(time.Second) * float64(o.Connections) / o.Rate)
	began, written := time.Now().Add(settling), newLedger()
	all := make([]connection, o.Connections)
	var sending sync.WaitGroup
	for i := range all {
		all[i] = connection{
			offer: o, ledger: written, number: i, step: step, due: began.Add(step * time.Duration(i) / time.Duration(o.Connections)),
			came: offered{Took: map[string][]time.Duration{}},
		}
		sending.Go(func() { all[i].send(began.Add(o.Time)) })
	}
	sending.Wait()
	sum := offered{Took: map[string][]time.Duration{}}
	for i := range all {
		sum.add(&all[i].came)
	}
	return json.NewEncoder(out).Encode(sum)
}

// settling is the time for connections to open before the first request is due.
const settling = 50 * time.Millisecond

func (o *offered) add(more *offered) {
	for path, took := range more.Took {
		o.Took[path] = append(o.Took[path], took...)
	}
	o.Late = append(o.Late, more.Late...)
	o.Refused += more.Refused
	o.Other = cmp.Or(o.Other, more.Other)
}

// connection sends one request after the other.
type connection struct {
	offer
	ledger *ledger
	number int
	due    time.Time
	step   time.Duration
	came   offered
}

// send sends requests until the end, or until the connection breaks.
func (c *connection) send(until time.Time) {
	conn, err := net.Dial("tcp", c.Address)
	if err != nil {
		c.came.Other = err.Error()
		return
	}
	defer conn.Close()
	answers, free := bufio.NewReader(conn), time.Now()
	for ; c.due.Before(until); c.due = c.due.Add(c.step) {
		path, request := c.next()
		time.Sleep(time.Until(c.due))
		late := time.Since(slices.MaxFunc([]time.Time{c.due, free}, time.Time.Compare))
		answer, err := exchange(conn, answers, request)
		free = time.Now()
		c.came.Late = append(c.came.Late, late)
		if err != nil {
			c.came.Other = err.Error()
			return
		}
		if answer/100 == 2 {
			c.came.Took[path] = append(c.came.Took[path], free.Sub(c.due)-late)
		} else {
			c.came.Refused++
		}
	}
}

// exchange sends a request and reads the whole response.
func exchange(conn net.Conn, answers *bufio.Reader, request []byte) (status int, err error) {
	if _, err := conn.Write(request); err != nil {
		return 0, err
	}
	response, err := http.ReadResponse(answers, nil)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, errors.Join(err, response.Body.Close())
}

// next returns the next request as bytes.
func (c *connection) next() (path string, request []byte) {
	if len(c.Paths) > 0 {
		path = c.Paths[c.number%len(c.Paths)]
		c.number++
		return path, fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: filmstrip.example\r\nAuthorization: Bearer %s\r\n\r\n", path, c.Token)
	}
	s := c.ledger.add(1, "", false)
	body := bodyOf(s)
	return "", fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: filmstrip.example\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", s.path(), c.Token, len(body), body)
}
