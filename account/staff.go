package account

import (
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// StaffRole is a set of permissions for people and programs of the operator.
type StaffRole string

// The roles of staff. Each may also read the catalogue as it is stored and the usage of all accounts.
const (
	// Owner may do everything. Only owners may change roles and the operator's own accounts, clients and users.
	Owner StaffRole = "OWNER"
	// Editor changes the catalogue, search rules and collections.
	Editor StaffRole = "EDITOR"
	// CustomerManager changes accounts, clients, tiers, content packages and users, and reads statements.
	CustomerManager StaffRole = "CUSTOMER_MANAGER"
	// Support reads accounts and changes users.
	Support StaffRole = "SUPPORT"
	// Finance reads accounts, seals statements, voids plays, and changes price plans, invoices and royalties.
	Finance StaffRole = "FINANCE"
	// Engineer reads accounts, and changes policies and deprecations.
	Engineer StaffRole = "ENGINEER"
	// Viewer reads accounts and statements, and changes nothing.
	Viewer StaffRole = "VIEWER"
)

// StaffRoles returns all roles.
func StaffRoles() []StaffRole {
	return []StaffRole{Owner, Editor, CustomerManager, Support, Finance, Engineer, Viewer}
}

// staffReads are the permissions of every role; curates those that a customer may have for collections, and that only
// editors need.
var (
	curates    = PermissionsOf(RateVideos, TagVideos, ShareVideos, InsertCollections, UpdateCollections, DeleteCollections)
	staffReads = CustomerPermissions()&^curates&^PermissionsOf(ViewUsers, InsertEvents) | PermissionsOf(ViewAnyCollection, Operate)
)

var staffPermissions = map[StaffRole]Permissions{
	Owner:           OperatorPermissions(),
	Editor:          staffReads | curates | PermissionsOf(EditCatalogue),
	CustomerManager: staffReads | PermissionsOf(ViewUsers, ViewCustomers, ManageCustomers, ViewPersons, ManagePersons, ViewBilling),
	Support:         staffReads | PermissionsOf(ViewUsers, ViewCustomers, ViewPersons, ManagePersons),
	Finance:         staffReads | PermissionsOf(ViewCustomers, ViewBilling, ManageBilling),
	Engineer:        staffReads | PermissionsOf(InsertEvents, ViewCustomers, ManageSystem),
	Viewer:          staffReads | PermissionsOf(ViewCustomers, ViewBilling),
}

// Permissions returns the permissions of a role; a role that this release does not know has none.
func (r StaffRole) Permissions() Permissions { return staffPermissions[r] }

// StaffMember gives a user of the operator's account a role. Users of that account without one sign in with the
// permissions of customers.
type StaffMember struct {
	// ID is that of the user.
	ID string `json:"id"`
	Meta
	AccountID string    `json:"account"`
	Role      StaffRole `json:"role"`
}

// Key returns the key of the role, which has the ID of the user.
func (m *StaffMember) Key() EntityKey { return EntityKey{KindStaffMember, m.ID} }

// Owner returns the ID of the user's account.
func (m *StaffMember) Owner() string { return m.AccountID }

// Links returns the user.
func (m *StaffMember) Links() []EntityKey { return []EntityKey{{KindUser, m.ID}} }

// Validate checks all fields except that the user exists.
func (m *StaffMember) Validate() fault.FieldErrors {
	var f faults
	if !catalogue.ID(m.ID).Valid() {
		f.Add("id", "%q is not the id of a user", fault.Shorten(m.ID))
	}
	if m.AccountID == "" {
		f.Add("account", "is required")
	}
	f.staffRole("role", m.Role)
	return f.List()
}

// Redacted returns the record itself, which contains no secrets.
func (m *StaffMember) Redacted() Entity { return m }

func (f *faults) staffRole(field string, role StaffRole) {
	if !slices.Contains(StaffRoles(), role) {
		f.Add(field, "%s", fault.NotOneOf(string(role), StaffRoles()))
	}
}
