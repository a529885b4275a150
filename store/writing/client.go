package writing

import (
	"encoding/json"
	"fmt"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// clientBody is the JSON of a client. Rights are kept by name: their numbers are no promise.
type clientBody struct {
	SecretHashes    [][]byte       `json:"secretHashes"`
	Rights          []string       `json:"rights"`
	PrivateChannels bool           `json:"privateChannels"`
	Subjects        []catalogue.ID `json:"subjects"`
	Disabled        bool           `json:"disabled"`
}

// EncodeClient writes the body of a client: all but its ID and UpdatedAt, which lie beside it.
func EncodeClient(client *account.LegacyClient) ([]byte, error) {
	body := clientBody{
		Rights: client.Rights.Names(), PrivateChannels: client.Access.PrivateChannels,
		Subjects: client.Subjects, Disabled: client.Disabled,
	}
	for _, hash := range client.SecretHashes {
		body.SecretHashes = append(body.SecretHashes, hash[:])
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("store: encode client %q: %w", client.ID, err)
	}
	return encoded, nil
}

// DecodeClient reads a body into a client. It leaves out rights that this release does not know.
func DecodeClient(encoded []byte, client *account.LegacyClient) error {
	var body clientBody
	if err := json.Unmarshal(encoded, &body); err != nil {
		return fmt.Errorf("store: decode client %q: %w", client.ID, err)
	}
	for _, hash := range body.SecretHashes {
		if len(hash) != 32 {
			return fmt.Errorf("store: client %q has a secret's sum of %d bytes", client.ID, len(hash))
		}
		client.SecretHashes = append(client.SecretHashes, [32]byte(hash))
	}
	for _, name := range body.Rights {
		if right, err := account.ParseRight(name); err == nil {
			client.Rights |= account.RightsOf(right)
		}
	}
	client.Access.PrivateChannels = body.PrivateChannels
	client.Subjects, client.Disabled = body.Subjects, body.Disabled
	return nil
}
