package account

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
)

// RosterVersion identifies a state of the records of a Roster and of the revocations.
type RosterVersion struct {
	// Records increases with every change of a key or of an entity that a Roster holds.
	Records int64
	// Revoked increases with every revocation.
	Revoked int64
}

// Roster holds all entities of the kinds in rosters (Kind.InRoster) as of one point in time, indexed for use during requests. It is immutable.
type Roster struct {
	Accounts map[string]*Account
	Clients  map[string]*Client
	Tiers    map[string]*Tier
	Packages map[string]*ContentPackage
	// Staff holds the roles of the operator's users by user ID.
	Staff     map[string]*StaffMember
	NotBefore time.Time
	// RequirePKCE and RequireSecret come from the policy and apply to every client.
	RequirePKCE, RequireSecret bool
	// RequireStaffFactor comes from the policy; see Policy.
	RequireStaffFactor bool
	// Deprecations maps the key of a deprecated part of the API to the operator's decision.
	Deprecations map[string]*Deprecation

	access map[string]catalogue.Access // by package ID
}

// NewRoster returns a roster of the given entities, which must no longer change.
func NewRoster(records []Entity) *Roster {
	r := &Roster{
		Accounts: map[string]*Account{}, Clients: map[string]*Client{}, Tiers: map[string]*Tier{},
		Packages: map[string]*ContentPackage{}, Staff: map[string]*StaffMember{}, Deprecations: map[string]*Deprecation{}, access: map[string]catalogue.Access{},
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
			r.RequireStaffFactor = record.RequireStaffFactor
		case *StaffMember:
			r.Staff[record.ID] = record
		case *Deprecation:
			r.Deprecations[record.ID] = record
		}
	}
	return r
}

// Collections returns the IDs of the collections named by content packages, sorted and without duplicates. The roster
// does not grant access to their videos; see WithCollections.
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

// WithCollections returns a roster in which the collections named by content packages grant access to the given
// videos, keyed by collection ID. cut lists, in order, the packages whose collections contain more videos than rules
// allow; the excess videos stay hidden.
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

// Including returns the access of each content package that includes the collection.
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

// Client returns a client and its account, or nil if the client does not exist or is disabled, or if its account is
// suspended.
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

// RequiresPKCE reports whether the policy or the client's own setting requires a code challenge in authorization
// requests.
func (r *Roster) RequiresPKCE(client *Client) bool { return r.RequirePKCE || client.RequirePKCE }

// RequiresSecret reports whether the policy or the client's own setting requires the secret for every grant. The
// client_credentials grant always requires it.
func (r *Roster) RequiresSecret(client *Client) bool { return r.RequireSecret || client.RequireSecret }

// Caller returns what a client may do and see on the given day, or nil if Client returns nil. Fields that come from a token are left empty.
//
// A customer's client has the permissions of its account's tier, restricted by the client's own roles, within
// CustomerPermissions, plus Browse, and EmbedVideos if the account allows embedding origins. A client of the operator has
// the permissions of its staff role; see also SignIn. If the account has expired, a client has only ReportExpiry. If the
// account's content package is missing or invalid, it has no permissions.
func (r *Roster) Caller(clientID string, today catalogue.Date) *Caller {
	client, account := r.Client(clientID)
	if client == nil {
		return nil
	}
	return r.caller(client, account, today)
}

// AccountCaller returns what the clients of an account that have no roles of their own may do and see on the given day, or
// nil if there is no such account. A suspended account has no permissions.
func (r *Roster) AccountCaller(id string, today catalogue.Date) *Caller {
	account := r.Accounts[id]
	if account == nil {
		return nil
	}
	return r.caller(&Client{}, account, today)
}

func (r *Roster) caller(client *Client, account *Account, today catalogue.Date) *Caller {
	caller := &Caller{ClientID: client.ID, Public: client.Public(), Account: account, Subjects: account.Subjects}
	access, readable := r.Access(account)
	caller.Access = access
	switch {
	case account.Status != Active:
	case account.Expired(today):
		caller.Permissions = PermissionsOf(ReportExpiry)
	case !readable:
	case account.Operator:
		caller.StaffRole = cmp.Or(client.StaffRole, Owner)
		caller.Permissions = client.limit(caller.StaffRole.Permissions())
	default:
		caller.Permissions = client.limit(r.tierPermissions(account))
	}
	if caller.Permissions.Has(ViewVideos) && len(account.AllowedOrigins) > 0 {
		caller.Permissions |= PermissionsOf(EmbedVideos)
	}
	return caller
}

// SignIn reduces the permissions of a client of the operator to those of the user who signed in with it: their role's, or
// a customer's if they have none. A user without a role for whom the client merely acts (signedIn is false) does not
// change what the client may do. Callers of other accounts stay as they are.
func (r *Roster) SignIn(caller *Caller, user string, signedIn bool) {
	member := r.Staff[user]
	if caller.StaffRole == "" || user == "" || member == nil && !signedIn {
		return
	}
	allowed := CustomerPermissions()
	caller.StaffRole = ""
	if member != nil {
		allowed, caller.StaffRole = member.Role.Permissions(), member.Role
	}
	caller.Permissions &= allowed | PermissionsOf(ReportExpiry, EmbedVideos)
}

// Access returns what an account may see, and false if its content package is missing or invalid.
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
	permissions := PermissionsOf(Browse)
	if tier := r.Tiers[account.Tier]; tier != nil {
		permissions |= PermissionsOf(tier.Roles...)
	}
	return permissions & CustomerPermissions()
}

// limit reduces permissions to the client's roles, if it has any, and Browse. A client of the operator that has roles
// cannot operate.
func (c *Client) limit(permissions Permissions) Permissions {
	if c.Roles == nil {
		return permissions
	}
	return permissions & (PermissionsOf(c.Roles...) | PermissionsOf(Browse))
}

// RequiresFactor reports whether the policy requires a second factor of a user who signs in with a password.
func (r *Roster) RequiresFactor(owner *Account, user string) bool {
	return r.RequireStaffFactor && owner.Operator && r.Staff[user] != nil
}

// PasswordStands reports whether a user's sign-in with a password at a time still counts: the account takes passwords, and the
// user's second factor is not newer than the sign-in. factor is nil if the user has none, which the policy must allow.
func (r *Roster) PasswordStands(owner *Account, user string, at time.Time, factor *SecondFactor) bool {
	switch {
	case !owner.TakesPasswords():
		return false
	case factor == nil:
		return !r.RequiresFactor(owner, user)
	}
	return !at.Before(factor.CreatedAt)
}
