package account

import (
	"maps"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
)

// RosterVersion tells whether a Roster, or what was revoked, has changed.
type RosterVersion struct {
	// Records grows with every change of a record that is no user, and of a key.
	Records int64
	// Revoked grows with every revocation.
	Revoked int64
}

// Roster is all records but users as they stood at one moment, arranged for the questions of a request.
// It is immutable.
type Roster struct {
	Accounts  map[string]*Account
	Clients   map[string]*Client
	Tiers     map[string]*Tier
	Packages  map[string]*ContentPackage
	NotBefore time.Time
	// RequirePKCE and RequireSecret are those of the policy: they hold for every client.
	RequirePKCE, RequireSecret bool
	// Deprecations are what was decided of what is deprecated, by its key.
	Deprecations map[string]*Deprecation

	access map[string]catalogue.Access // of each package
}

// NewRoster arranges records, which must not change any more.
func NewRoster(records []Entity) *Roster {
	r := &Roster{
		Accounts: map[string]*Account{}, Clients: map[string]*Client{}, Tiers: map[string]*Tier{},
		Packages: map[string]*ContentPackage{}, Deprecations: map[string]*Deprecation{}, access: map[string]catalogue.Access{},
	}
	for _, record := range records {
		switch record := record.(type) {
		case *Account:
			r.Accounts[record.ID] = record
		case *Client:
			r.Clients[record.ID] = record
		case *Tier:
			r.Tiers[record.ID] = record
		case *ContentPackage:
			r.Packages[record.ID] = record
			if access, err := catalogue.CompileRules(record.Rules); err == nil {
				r.access[record.ID] = access
			}
		case *Policy:
			r.NotBefore, r.RequirePKCE, r.RequireSecret = record.NotBefore, record.RequirePKCE, record.RequireSecret
		case *Deprecation:
			r.Deprecations[record.ID] = record
		}
	}
	return r
}

// Collections lists the collections that content packages name, each once, in order. What they hold is open to
// nobody yet: WithCollections says what it is.
func (r *Roster) Collections() []catalogue.ID {
	var named []catalogue.ID
	for _, access := range r.access {
		if access.Rules != nil {
			named = append(named, access.Rules.Collections...)
		}
	}
	slices.Sort(named)
	return slices.Compact(named)
}

// WithCollections is the roster with the videos of the collections that its content packages name, by the
// collections' IDs. cut are the packages whose collections hold more videos than rules may, in order: what is
// beyond stays hidden.
func (r *Roster) WithCollections(held map[catalogue.ID][]catalogue.ID) (filled *Roster, cut []string) {
	next := *r
	next.access = make(map[string]catalogue.Access, len(r.access))
	for _, id := range slices.Sorted(maps.Keys(r.access)) {
		access, complete := r.access[id].WithCollections(held)
		next.access[id] = access
		if !complete {
			cut = append(cut, id)
		}
	}
	return &next, cut
}

// Including returns what each content package that includes the collection shows.
func (r *Roster) Including(collection catalogue.ID) []catalogue.Access {
	var including []catalogue.Access
	for _, access := range r.access {
		if access.Rules == nil {
			continue
		}
		if _, found := slices.BinarySearch(access.Rules.Collections, collection); found {
			including = append(including, access)
		}
	}
	return including
}

// Client returns the client with an ID and its account, nil where there is none, where it is disabled or
// where its account is suspended.
func (r *Roster) Client(id string) (*Client, *Account) {
	client := r.Clients[id]
	if client == nil || client.Disabled {
		return nil, nil
	}
	account := r.Accounts[client.AccountID]
	if account == nil || account.Status != Active {
		return nil, nil
	}
	return client, account
}

// RequiresPKCE reports whether a client's authorization requests need a code challenge: by the policy or by its own
// setting.
func (r *Roster) RequiresPKCE(client *Client) bool { return r.RequirePKCE || client.RequirePKCE }

// RequiresSecret reports whether a client's grants need its secret: by the policy or by its own setting.
// client_credentials always do.
func (r *Roster) RequiresSecret(client *Client) bool { return r.RequireSecret || client.RequireSecret }

// Caller is what a client of the roster may do and see on a day: nil where Client finds none. The fields
// that come from a token are left empty.
//
// The rights of a customer's client are those of its account's tier, limited to the client's own roles,
// and Browse, of CustomerRights, with EmbedVideos where the account allows pages to show videos; once the
// account has expired, ReportExpiry alone. An account whose content package cannot be read sees nothing of it:
// its clients lose all rights.
func (r *Roster) Caller(clientID string, today catalogue.Date) *Caller {
	client, account := r.Client(clientID)
	if client == nil {
		return nil
	}
	caller := &Caller{ClientID: client.ID, Public: client.Public(), Account: account, Subjects: account.Subjects}
	access, readable := r.Access(account)
	caller.Access = access
	switch {
	case account.Expired(today):
		caller.Permissions = PermissionsOf(ReportExpiry)
	case !readable:
	case account.Operator:
		caller.Permissions = client.limit(OperatorPermissions())
	default:
		caller.Permissions = client.limit(r.tierPermissions(account))
	}
	if caller.Permissions.Has(ViewVideos) && len(account.AllowedOrigins) > 0 {
		caller.Permissions |= PermissionsOf(EmbedVideos)
	}
	return caller
}

// Access is what an account may see; false where its content package is gone or cannot be read.
func (r *Roster) Access(account *Account) (catalogue.Access, bool) {
	switch {
	case account.ContentPackage != "":
		access, ok := r.access[account.ContentPackage]
		return access, ok
	case account.Operator:
		return catalogue.Access{PrivateChannels: true}, true
	}
	return catalogue.Access{}, true
}

func (r *Roster) tierPermissions(account *Account) Permissions {
	rights := PermissionsOf(Browse)
	if tier := r.Tiers[account.Tier]; tier != nil {
		rights |= PermissionsOf(tier.Roles...)
	}
	return rights & CustomerPermissions()
}

// limit leaves of rights those that the client's roles name, and Browse: a client of the operator that is
// limited to roles does not operate.
func (c *Client) limit(rights Permissions) Permissions {
	if c.Roles == nil {
		return rights
	}
	return rights & (PermissionsOf(c.Roles...) | PermissionsOf(Browse))
}
