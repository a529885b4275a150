package counting

import (
	"context"
	"slices"
	"sync"

	"github.com/filmstrip/filmstrip/usage"
)

// madeDigests remembers the digests of seals, which never change.
type madeDigests struct {
	sync.Mutex
	seals   []usage.Seal
	digests []usage.SealDigest
}

// Digests returns the digests of all seals in the order of months. A Counter computes each once, except that Verify and
// VerifyAgainst compute them again.
func (c *Counter) Digests(ctx context.Context) ([]usage.SealDigest, error) {
	seals, err := c.Usage.Seals(ctx)
	if err != nil {
		return nil, err
	}
	c.digests.Lock()
	defer c.digests.Unlock()
	known := len(c.digests.seals)
	if known > len(seals) || !slices.EqualFunc(c.digests.seals, seals[:min(known, len(seals))], sameSeal) {
		c.digests.seals, c.digests.digests, known = nil, nil, 0 // the store was replaced by another
	}
	for _, seal := range seals[known:] {
		statements, err := c.Usage.Statements(ctx, "", seal.Month)
		if err != nil {
			return nil, err
		}
		digests, err := usage.Digests(c.digests.digests, []usage.Seal{seal}, statements)
		if err != nil {
			return nil, err
		}
		c.digests.seals, c.digests.digests = append(c.digests.seals, seal), digests
	}
	return slices.Clone(c.digests.digests), nil
}

func sameSeal(a, b usage.Seal) bool {
	return a.Month == b.Month && a.Position == b.Position && a.At.Equal(b.At)
}

// AttachSealDigests sets the digest of the seal in sealed statements.
func (c *Counter) AttachSealDigests(ctx context.Context, statements []usage.Statement) error {
	if !slices.ContainsFunc(statements, func(s usage.Statement) bool { return s.Checksum != "" }) {
		return nil
	}
	digests, err := c.Digests(ctx)
	if err == nil {
		usage.AttachDigests(statements, digests)
	}
	return err
}

// VerifyAgainst compares the seals and the content of the statements with published digests, and adds the differences to the report.
func (c *Counter) VerifyAgainst(ctx context.Context, report *Report, published []usage.PublishedDigest) error {
	for {
		seals, err := c.Usage.Seals(ctx)
		if err != nil {
			return err
		}
		statements, err := c.Usage.Statements(ctx, "", usage.Month{})
		if err != nil {
			return err
		}
		after, err := c.Usage.Seals(ctx)
		if err != nil {
			return err
		}
		if !slices.EqualFunc(seals, after, sameSeal) { // a month was sealed meanwhile
			continue
		}
		differences, unpublished, err := usage.CheckPublished(seals, statements, published)
		if err != nil {
			return err
		}
		report.Published, report.Unpublished = len(published), unpublished
		report.add(differences...)
		return nil
	}
}
