package signin

import (
	"net/http"
	"strings"

	"github.com/filmstrip/filmstrip/account"
)

// LogoPath is followed by the ID of a logo.
const LogoPath = "/v1/authorize/logo/"

// logoPath returns the path of an account's logo, or "" if it has none.
func (h *Handler) logoPath(a *account.Account) string {
	if a.Logo == nil {
		return ""
	}
	return h.base + LogoPath + a.Logo.ID
}

// LogoHandler returns the handler of paths below LogoPath.
func (h *Handler) LogoHandler() http.Handler { return h.guarded(h.serveLogo, http.MethodGet) }

// serveLogo serves the image of an account. The ID determines the image, so browsers may keep it.
func (h *Handler) serveLogo(w http.ResponseWriter, r *http.Request) error {
	_, id, _ := strings.Cut(r.URL.Path, LogoPath)
	logo, err := account.As[*account.Logo](h.Store.Entity(r.Context(), account.KindLogo.Key(id)))
	switch {
	case err != nil:
		return err
	case logo == nil:
		return &problem{status: http.StatusNotFound, code: "invalid_request", message: "there is no such logo"}
	}
	header := w.Header()
	header.Set("Content-Type", logo.MediaType)
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(logo.Data) // a browser that is gone needs no answer
	return nil
}
