package accounts

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
)

const (
	// secretPrefix lets scanners for leaked secrets recognize one.
	secretPrefix = "fs_"
	secretBytes  = 32
	// maxOldSecretDays is how many days a replaced secret may stay valid at most.
	maxOldSecretDays = 365
)

func (r *Resolver) Clients(ctx context.Context, owner, text *string, first int, after *string) (*graph.ClientConnection, error) {
	nodes, info, err := registry.Page(ctx, r.Registry, registry.Query{Kind: account.KindClient, Owner: owner, Text: text}, first, after, clientTexts, shownClient)
	return &graph.ClientConnection{Nodes: nodes, PageInfo: info}, err
}

func clientTexts(c *account.Client) []string { return []string{c.Name} }

func (r *Resolver) Client(ctx context.Context, id string) (*graph.Client, error) {
	return registry.View(ctx, r.Registry, account.KindClient.Key(id), shownClient)
}

func (r *Resolver) CreateClient(ctx context.Context, input graph.CreateClientInput) (*graph.ClientWithSecret, error) {
	created := &account.Client{
		ID: input.ID, AccountID: input.Account, Name: input.Name,
		RequireSecret: input.RequireSecret, RequirePKCE: input.RequirePkce,
		RedirectURIs: input.RedirectUris, PostLogoutRedirectURIs: input.PostLogoutRedirectUris,
		Roles: input.Roles, StaffRole: values.Or(input.StaffRole), Disabled: input.Disabled,
	}
	answer := &graph.ClientWithSecret{}
	if !input.Public {
		secret, stored := r.newSecret()
		created.Secrets, answer.Secret = []account.Secret{stored}, &secret
	}
	if err := r.Registry.Create(ctx, created); err != nil {
		return nil, err
	}
	answer.Client = shownClient(created)
	return answer, nil
}

// newSecret makes a secret, and returns it as it is shown and as it is stored.
func (r *Resolver) newSecret() (string, account.Secret) {
	random := make([]byte, secretBytes)
	rand.Read(random)
	shown := secretPrefix + base64.RawURLEncoding.EncodeToString(random)
	sum := sha256.Sum256([]byte(shown))
	return shown, account.Secret{ID: rand.Text()[:8], Hash: sum[:], CreatedAt: r.Now().UTC().Truncate(time.Microsecond)}
}

func (r *Resolver) UpdateClient(ctx context.Context, id string, version *int, input graph.UpdateClientInput) (*graph.Client, error) {
	updated, err := registry.Update(ctx, r.Registry, account.KindClient.Key(id), version, func(client *account.Client) error {
		return changeClient(client, input)
	})
	if err != nil {
		return nil, err
	}
	if updated.Disabled {
		if err := r.endClient(ctx, id); err != nil {
			return nil, err
		}
	}
	return shownClient(updated), nil
}

func changeClient(client *account.Client, input graph.UpdateClientInput) error {
	var f inputs.Faults
	inputs.Set(&client.Name, input.Name)
	inputs.Require(&f, "requireSecret", &client.RequireSecret, input.RequireSecret)
	inputs.Require(&f, "requirePkce", &client.RequirePKCE, input.RequirePkce)
	inputs.SetList(&client.RedirectURIs, input.RedirectUris)
	inputs.SetList(&client.PostLogoutRedirectURIs, input.PostLogoutRedirectUris)
	inputs.SetList(&client.Roles, input.Roles)
	inputs.Set(&client.StaffRole, input.StaffRole)
	inputs.Require(&f, "disabled", &client.Disabled, input.Disabled)
	return f.Err()
}

func (r *Resolver) DeleteClient(ctx context.Context, id string, version *int) (string, error) {
	removed := r.Registry.Remove(ctx, account.KindClient.Key(id), version)
	if removed != nil && fault.CodeOf(removed) != fault.NotFound {
		return "", removed
	}
	// A deleted client is included, so that a repeated call completes one that failed here.
	if err := r.endClient(ctx, id); err != nil {
		return "", err
	}
	return id, removed
}

func (r *Resolver) AddClientSecret(ctx context.Context, id string, oldDays *int) (*graph.ClientWithSecret, error) {
	if oldDays != nil && (*oldDays < 0 || *oldDays > maxOldSecretDays) {
		return nil, fault.InvalidRequest("oldExpiresInDays %d is not between 0 and %d", *oldDays, maxOldSecretDays)
	}
	secret, stored := r.newSecret()
	updated, err := registry.Update(ctx, r.Registry, account.KindClient.Key(id), nil, func(client *account.Client) error {
		client.Secrets = validAt(client.Secrets, stored.CreatedAt)
		if oldDays != nil {
			endSecrets(client.Secrets, stored.CreatedAt.AddDate(0, 0, *oldDays))
			client.Secrets = validAt(client.Secrets, stored.CreatedAt)
		}
		if len(client.Secrets) >= account.MaxSecrets {
			return fault.Errorf(fault.Conflict, "the client %q has %d secrets already: remove one first", id, len(client.Secrets))
		}
		client.Secrets = append(client.Secrets, stored)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &graph.ClientWithSecret{Client: shownClient(updated), Secret: &secret}, nil
}

// validAt returns the secrets that are valid at a time.
func validAt(secrets []account.Secret, at time.Time) []account.Secret {
	return slices.DeleteFunc(slices.Clone(secrets), func(secret account.Secret) bool { return !secret.Valid(at) })
}

// endSecrets ends secrets at a time, unless they end before.
func endSecrets(secrets []account.Secret, end time.Time) {
	for i := range secrets {
		if secrets[i].Valid(end) {
			secrets[i].ExpiresAt = &end
		}
	}
}

func (r *Resolver) RemoveClientSecret(ctx context.Context, id, secretID string) (*graph.Client, error) {
	updated, err := registry.Update(ctx, r.Registry, account.KindClient.Key(id), nil, func(client *account.Client) error {
		named := func(secret account.Secret) bool { return secret.ID == secretID }
		if !slices.ContainsFunc(client.Secrets, named) {
			return fault.Errorf(fault.NotFound, "the client %q has no secret %q", id, fault.Shorten(secretID))
		}
		client.Secrets = slices.DeleteFunc(client.Secrets, named)
		if len(validAt(client.Secrets, r.Now())) == 0 {
			return fault.Errorf(fault.Conflict, "%q is the only valid secret of the client %q: add another first", secretID, id)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return shownClient(updated), nil
}

// shownClient shows when the secrets of a client were created and expire, and nothing else about them.
func shownClient(c *account.Client) *graph.Client {
	return &graph.Client{
		ID: c.ID, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, Version: int(c.Version),
		Account: c.AccountID, Name: c.Name, Public: c.Public(),
		Secrets: values.Map(c.Secrets, func(secret account.Secret) *graph.ClientSecret {
			return &graph.ClientSecret{ID: secret.ID, CreatedAt: secret.CreatedAt, ExpiresAt: secret.ExpiresAt}
		}),
		RequireSecret: c.RequireSecret, RequirePkce: c.RequirePKCE,
		RedirectUris: values.List(c.RedirectURIs), PostLogoutRedirectUris: values.List(c.PostLogoutRedirectURIs),
		Roles: c.Roles, StaffRole: values.OrNil(c.StaffRole), Disabled: c.Disabled,
	}
}
