package resolvers

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
)

const (
	// secretPrefix lets those who search for leaked secrets recognise one.
	secretPrefix = "fs_"
	secretBytes  = 32
	// maxOldSecretDays is how long a secret that has been replaced may go on counting.
	maxOldSecretDays = 365
)

func (q query) Clients(ctx context.Context, owner *string, first int, after *string) (*graph.ClientConnection, error) {
	nodes, info, err := shownPage(ctx, q.resolver, account.KindClient, owner, first, after, shownClient)
	return &graph.ClientConnection{Nodes: nodes, PageInfo: info}, err
}

func (q query) Client(ctx context.Context, id string) (*graph.Client, error) {
	return shownRecord(ctx, q.resolver, clientKey(id), shownClient)
}

func clientKey(id string) account.EntityKey {
	return account.EntityKey{Kind: account.KindClient, ID: id}
}

func (m mutation) CreateClient(ctx context.Context, input graph.CreateClientInput) (*graph.ClientWithSecret, error) {
	created := &account.Client{
		ID: input.ID, AccountID: input.Account, Name: input.Name,
		RequireSecret: input.RequireSecret, RequirePKCE: input.RequirePkce,
		RedirectURIs: input.RedirectUris, PostLogoutRedirectURIs: input.PostLogoutRedirectUris,
		Roles: input.Roles, Disabled: input.Disabled,
	}
	answer := &graph.ClientWithSecret{}
	if !input.Public {
		secret, kept := m.newSecret()
		created.Secrets, answer.Secret = []account.Secret{kept}, &secret
	}
	if err := m.create(ctx, created); err != nil {
		return nil, err
	}
	answer.Client = shownClient(created)
	return answer, nil
}

// newSecret makes a secret, as it is shown and as it is kept.
func (r *resolver) newSecret() (string, account.Secret) {
	random := make([]byte, secretBytes)
	rand.Read(random)
	shown := secretPrefix + base64.RawURLEncoding.EncodeToString(random)
	sum := sha256.Sum256([]byte(shown))
	return shown, account.Secret{ID: rand.Text()[:8], Hash: sum[:], CreatedAt: r.now().UTC().Truncate(time.Microsecond)}
}

func (m mutation) UpdateClient(ctx context.Context, id string, version *int, input graph.UpdateClientInput) (*graph.Client, error) {
	updated, err := update(ctx, m.resolver, clientKey(id), version, func(client *account.Client) error {
		return changeClient(client, input)
	})
	if err != nil {
		return nil, err
	}
	if updated.Disabled {
		if err := m.endClient(ctx, id); err != nil {
			return nil, err
		}
	}
	return shownClient(updated), nil
}

func changeClient(client *account.Client, input graph.UpdateClientInput) error {
	var c changes
	may(&client.Name, input.Name)
	must(&c, "requireSecret", &client.RequireSecret, input.RequireSecret)
	must(&c, "requirePkce", &client.RequirePKCE, input.RequirePkce)
	mayList(&client.RedirectURIs, input.RedirectUris)
	mayList(&client.PostLogoutRedirectURIs, input.PostLogoutRedirectUris)
	mayList(&client.Roles, input.Roles)
	must(&c, "disabled", &client.Disabled, input.Disabled)
	return c.err()
}

func (m mutation) DeleteClient(ctx context.Context, id string, version *int) (string, error) {
	removed := m.remove(ctx, clientKey(id), version)
	if removed != nil && fault.CodeOf(removed) != fault.NotFound {
		return "", removed
	}
	// Also of one that is gone already: so a failure here can be made good by doing it again.
	if err := m.endClient(ctx, id); err != nil {
		return "", err
	}
	return id, removed
}

func (m mutation) AddClientSecret(ctx context.Context, id string, oldDays *int) (*graph.ClientWithSecret, error) {
	if oldDays != nil && (*oldDays < 0 || *oldDays > maxOldSecretDays) {
		return nil, fault.InvalidRequest("oldExpiresInDays %d is not between 0 and %d", *oldDays, maxOldSecretDays)
	}
	secret, kept := m.newSecret()
	updated, err := update(ctx, m.resolver, clientKey(id), nil, func(client *account.Client) error {
		client.Secrets = counting(client.Secrets, kept.CreatedAt)
		if oldDays != nil {
			endSecrets(client.Secrets, kept.CreatedAt.AddDate(0, 0, *oldDays))
			client.Secrets = counting(client.Secrets, kept.CreatedAt)
		}
		if len(client.Secrets) >= account.MaxSecrets {
			return fault.Errorf(fault.Conflict, "the client %q has %d secrets already: remove one first", id, len(client.Secrets))
		}
		client.Secrets = append(client.Secrets, kept)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &graph.ClientWithSecret{Client: shownClient(updated), Secret: &secret}, nil
}

// counting are the secrets that count at an instant.
func counting(secrets []account.Secret, now time.Time) []account.Secret {
	var left []account.Secret
	for _, secret := range secrets {
		if secret.Valid(now) {
			left = append(left, secret)
		}
	}
	return left
}

// endSecrets ends secrets at an instant, unless they end before.
func endSecrets(secrets []account.Secret, end time.Time) {
	for i := range secrets {
		if secrets[i].Valid(end) {
			secrets[i].ExpiresAt = &end
		}
	}
}

func (m mutation) RemoveClientSecret(ctx context.Context, id, secretID string) (*graph.Client, error) {
	updated, err := update(ctx, m.resolver, clientKey(id), nil, func(client *account.Client) error {
		named := func(secret account.Secret) bool { return secret.ID == secretID }
		if !slices.ContainsFunc(client.Secrets, named) {
			return fault.Errorf(fault.NotFound, "the client %q has no secret %q", id, catalogue.Shorten(secretID))
		}
		client.Secrets = slices.DeleteFunc(client.Secrets, named)
		if len(counting(client.Secrets, m.now())) == 0 {
			return fault.Errorf(fault.Conflict, "%q is the only secret of the client %q that counts: add another first", secretID, id)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return shownClient(updated), nil
}

// shownClient tells of secrets no more than which there are.
func shownClient(c *account.Client) *graph.Client {
	shown := &graph.Client{
		ID: c.ID, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, Version: int(c.Version),
		Account: c.AccountID, Name: c.Name, Public: c.Public(), Secrets: []*graph.ClientSecret{},
		RequireSecret: c.RequireSecret, RequirePkce: c.RequirePKCE,
		RedirectUris: list(c.RedirectURIs), PostLogoutRedirectUris: list(c.PostLogoutRedirectURIs),
		Roles: c.Roles, Disabled: c.Disabled,
	}
	for _, secret := range c.Secrets {
		shown.Secrets = append(shown.Secrets, &graph.ClientSecret{ID: secret.ID, CreatedAt: secret.CreatedAt, ExpiresAt: secret.ExpiresAt})
	}
	return shown
}
