package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// readRevision reads a revision of the repository in a temporary working tree.
func readRevision(ctx context.Context, name string) (_ release, err error) {
	commit, err := output(ctx, "", "git", "rev-parse", "--verify", "--quiet", name+"^{commit}")
	if err != nil {
		return release{}, fmt.Errorf("%s is neither a file nor a revision", name)
	}
	parent, err := os.MkdirTemp("", "contractdiff-")
	if err != nil {
		return release{}, err
	}
	defer os.RemoveAll(parent)
	tree := filepath.Join(parent, "tree")
	if _, err := output(ctx, "", "git", "worktree", "add", "--quiet", "--detach", tree, strings.TrimSpace(string(commit))); err != nil {
		return release{}, err
	}
	defer func() {
		_, removed := output(context.WithoutCancel(ctx), "", "git", "worktree", "remove", "--force", tree)
		err = errors.Join(err, removed)
	}()
	return readTree(ctx, name, tree)
}

// readTree reads the contract of a working tree.
func readTree(ctx context.Context, name, tree string) (release, error) {
	text, err := os.ReadFile(filepath.Join(tree, "schema.graphqls"))
	if err != nil {
		return release{}, fmt.Errorf("%s: %w", name, err)
	}
	side := release{revision: true}
	if side.graphQL, err = parseGraphQL(name+":schema.graphqls", text); err != nil {
		return release{}, err
	}
	if _, err := os.Stat(filepath.Join(tree, "rest", "openapi")); err != nil {
		return side, nil // older revisions have no OpenAPI document
	}
	printed, err := output(ctx, tree, "go", "run", "./cmd/filmstrip", "openapi")
	if err != nil {
		return release{}, fmt.Errorf("%s: %w", name, err)
	}
	side.openAPI, err = parseOpenAPI(name, printed)
	return side, err
}

// output runs a program in a folder ("" is the current one) and returns its standard output.
func output(ctx context.Context, folder, program string, arguments ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, program, arguments...)
	command.Dir = folder
	var faults bytes.Buffer
	command.Stderr = &faults
	printed, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", program, strings.Join(arguments, " "), err, strings.TrimSpace(faults.String()))
	}
	return printed, nil
}
