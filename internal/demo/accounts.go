package demo

import (
	"context"
	"crypto/sha256"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/password"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/web"
)

// TeacherID is the ID of the user of the demo.
var TeacherID = string(catalogue.DeriveID("user", Account, Teacher))

// customerNames are the names of the customers by account.
var customerNames = map[string]string{
	Account: "Riverside School District", PlusAccount: "Lumen Learning Platform", BasicAccount: "Birch Lane Primary School",
}

// records returns the records of the demo, in an order in which no record refers to a later one.
func records() []account.Entity {
	customer := func(id, name, tier, contentPackage string) *account.Account {
		return &account.Account{
			ID: id, Name: name, Tier: tier, ContentPackage: contentPackage, Products: account.Products(),
			Type: account.Demo, Status: account.Active, Environment: account.Live,
		}
	}
	demo := customer(Account, customerNames[Account], "premium", "")
	demo.PasswordSignIn = true
	demo.AllowedOrigins = []string{Origin}
	basic := customer(BasicAccount, customerNames[BasicAccount], "basic", BasicAccount)
	basic.Environment = account.Sandbox // its plays are counted but not billed
	operator := customer(OperatorAccount, operatorName, "", "")
	operator.Operator = true
	operator.BillingAddress, operator.BillingEmail = "1 Film Street\nBerlin", "bills@films.example"
	plus := customer(PlusAccount, customerNames[PlusAccount], "plus", PlusAccount)
	demo.PricePlan, demo.BillingAddress, demo.BillingEmail = schoolPlan, "20 River Road\nRiverside", "office@school.example"
	plus.PricePlan = platformPlan // without an address, of which the console warns
	return append(prices(),
		&account.ContentPackage{ID: BasicAccount, Name: "Primary school: no war, no death", Rules: []catalogue.AccessRule{
			{Type: catalogue.IncludedVideoTypes, Values: []string{string(catalogue.Instructional)}},
			{Type: catalogue.ExcludedContentWarnings, Values: []string{warning("scenes-of-war"), warning("discussion-of-death")}},
		}},
		&account.ContentPackage{ID: PlusAccount, Name: "Everything but news", Rules: []catalogue.AccessRule{
			{Type: catalogue.ExcludedVideoTypes, Values: []string{string(catalogue.News), string(catalogue.HistoricalNewsArchive)}},
		}},
		demo, basic, plus, operator,
		clientOf(Account), clientOf(BasicAccount), clientOf(PlusAccount), clientOf(OperatorAccount),
		&account.Client{
			ID: WebClient, AccountID: Account, Name: "A web application",
			RedirectURIs: []string{RedirectURI}, PostLogoutRedirectURIs: []string{SignOutURI},
		},
		&account.Client{ID: ConsoleClient, AccountID: OperatorAccount, Name: "Console", RequirePKCE: true},
		&account.Client{ID: WatchClient, AccountID: Account, Name: "Filmstrip's share page", RequirePKCE: true},
	)
}

// warning returns the ID of a content warning.
func warning(ref string) string {
	return string(catalogue.DeriveID(catalogue.KindContentWarning, source, ref))
}

// users returns the users of the demo: the teacher, whose password is public, and others, who cannot sign in.
func users() []*account.User {
	teacher := &account.User{
		ID: TeacherID, AccountID: Account, Username: Teacher, GivenName: "Ada", FamilyName: "Teacher",
		Email: "teacher@school.example", EmailVerified: true,
	}
	list := []*account.User{teacher}
	for _, person := range []struct{ of, given, family string }{
		{Account, "Noor", "Haddad"}, {Account, "Mateo", "Rivera"}, {Account, "Grace", "Okafor"}, {Account, "Lena", "Brandt"},
		{PlusAccount, "Tomás", "Silva"}, {PlusAccount, "Amélie", "Laurent"}, {PlusAccount, "Kenji", "Mori"},
		{BasicAccount, "Ruth", "Adler"}, {BasicAccount, "Owen", "Price"},
	} {
		name := strings.ToLower(person.given + "." + person.family)
		list = append(list, &account.User{
			ID: string(catalogue.DeriveID("user", person.of, name)), AccountID: person.of, Username: person.of + "." + name,
			GivenName: person.given, FamilyName: person.family, Email: name + "@school.example",
		})
	}
	return list
}

// staffNames returns the names under which staff sign in.
func staffNames() (names []string) {
	people := staff()
	for _, role := range account.StaffRoles() {
		names = append(names, people[role].Username)
	}
	return names
}

// staff returns the users who can sign in to the console, each named after their role, such as customer-manager.
func staff() map[account.StaffRole]*account.User {
	people := map[account.StaffRole]*account.User{}
	for i, role := range account.StaffRoles() {
		name := strings.ReplaceAll(strings.ToLower(string(role)), "_", "-")
		person := [...][2]string{{"Olive", "Owens"}, {"Edda", "Ito"}, {"Carla", "Mendes"}, {"Sam", "Porter"}, {"Fiona", "Nash"}, {"Emil", "Berg"}, {"Vera", "Wolf"}}[i]
		people[role] = &account.User{
			ID: string(catalogue.DeriveID("user", OperatorAccount, name)), AccountID: OperatorAccount, Username: name,
			GivenName: person[0], FamilyName: person[1], Email: name + "@films.example", EmailVerified: true,
		}
	}
	return people
}

func clientOf(id string) *account.Client {
	hash := sha256.Sum256([]byte(Secret))
	made := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	return &account.Client{
		ID: id, AccountID: id, Name: "Demo",
		Secrets: []account.Secret{{ID: "demo", Hash: hash[:], CreatedAt: made}},
	}
}

// AddAccounts adds the accounts of the demo that are missing, for a server at a base URL. It keeps what an operator has
// changed.
func AddAccounts(ctx context.Context, accounts store.Accounts, base string) error {
	hash, err := password.Hash(ctx, Secret)
	if err != nil {
		return err
	}
	missing := records()
	for i, user := range users() {
		if i == 0 {
			user.PasswordHash = hash
		}
		missing = append(missing, user)
	}
	for role, user := range staff() {
		user.PasswordHash = hash
		missing = append(missing, user, &account.StaffMember{ID: user.ID, AccountID: user.AccountID, Role: role})
	}
	return accounts.Edit(ctx, account.Actor{Client: Actor}, func(ctx context.Context, tx store.RegistryTx) error {
		for _, record := range missing {
			known, err := tx.Entity(ctx, record.Key())
			if err != nil {
				return err
			}
			if known != nil {
				continue
			}
			if err := tx.Put(ctx, record); err != nil {
				return err
			}
		}
		return allowCallbacks(ctx, tx, base)
	})
}

// Entity implements store.Registry.
func (a Disabled) Entity(ctx context.Context, key account.EntityKey) (account.Entity, error) {
	record, err := a.Accounts.Entity(ctx, key)
	if err != nil {
		return nil, err
	}
	return disableTeacher(ctx, record)
}

// allowCallbacks sets the redirect URIs of the share page and of the application for a server at a base URL, at which the
// API reference signs in users of the application. If authorization codes must not be sent there, because it is neither
// https nor on this machine, the share page has none and cannot sign users in.
func allowCallbacks(ctx context.Context, tx store.RegistryTx, base string) error {
	for client, back := range map[string][]string{
		ConsoleClient: callbacks(base, web.ConsolePath),
		WatchClient:   callbacks(base, web.WatchCallback), WebClient: append([]string{RedirectURI}, callbacks(base, web.ReferencePath)...),
	} {
		if err := allowCallback(ctx, tx, client, back); err != nil {
			return err
		}
	}
	return nil
}

func allowCallback(ctx context.Context, tx store.RegistryTx, id string, back []string) error {
	record, err := tx.Entity(ctx, account.KindClient.Key(id))
	client, known := record.(*account.Client)
	if err != nil || !known || slices.Equal(client.RedirectURIs, back) {
		return err
	}
	client.RedirectURIs = back
	if id == ConsoleClient {
		client.PostLogoutRedirectURIs = back
	}
	return tx.Put(ctx, client)
}

func callbacks(base, path string) []string {
	at, err := url.Parse(base)
	if err != nil || at.Scheme != "https" && !account.IsLoopback(at.Hostname()) {
		return nil
	}
	back := []string{base + path}
	if local := strings.Replace(back[0], "//127.0.0.1:", "//localhost:", 1); local != back[0] {
		back = append(back, local)
	}
	return back
}
