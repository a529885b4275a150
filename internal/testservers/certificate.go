package testservers

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// certificate holds the file names of an authority, and of a server certificate that it signed with its key.
type certificate struct{ authority, server, key string }

// Certificate writes a certificate for 127.0.0.1 and localhost, and returns the files of the authority that signed it,
// of the certificate and of its key.
func Certificate(t testing.TB) (authority, server, key string) {
	t.Helper()
	files, err := newCertificate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return files.authority, files.server, files.key
}

// newCertificate writes a certificate for 127.0.0.1 and localhost to a folder.
func newCertificate(folder string) (certificate, error) {
	files := certificate{filepath.Join(folder, "ca.pem"), filepath.Join(folder, "server.pem"), filepath.Join(folder, "server.key")}
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return files, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return files, err
	}
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Filmstrip tests"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	server := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: onlyThisMachine},
		NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.ParseIP(onlyThisMachine)}, DNSNames: []string{"localhost"},
	}
	authorityText, err := x509.CreateCertificate(rand.Reader, authority, authority, &authorityKey.PublicKey, authorityKey)
	if err != nil {
		return files, err
	}
	serverText, err := x509.CreateCertificate(rand.Reader, server, authority, &key.PublicKey, authorityKey)
	if err != nil {
		return files, err
	}
	keyText, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return files, err
	}
	for _, one := range []struct {
		file, kind string
		text       []byte
	}{{files.authority, "CERTIFICATE", authorityText}, {files.server, "CERTIFICATE", serverText}, {files.key, "PRIVATE KEY", keyText}} {
		block := pem.EncodeToMemory(&pem.Block{Type: one.kind, Bytes: one.text})
		if err := os.WriteFile(one.file, block, rightsOfTextFile); err != nil {
			return files, err
		}
	}
	return files, nil
}
