package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"locus/access"
	"locus/access/engine"
	"locus/cmd/locus/internal/console"
	"locus/proto/sftp"
)

// An sshUser gives the sftp client the user's data for SSH: the known hosts, the keys of an agent and of ~/.ssh, and the
// answers to questions of servers. Several goroutines may use it at once. It asks one question at a time.
type sshUser struct {
	env *Env

	mu       sync.Mutex            // held while a question is asked
	trusted  []sftp.HostKey        // the keys that the user accepted in this process
	unlocked map[string]ssh.Signer // encrypted keys whose passphrase is known, by the file of the key

	warned sync.Map // the files of keys that were warned about
}

// sftpClient returns the client of sftp URLs, with a pool of connections. It has the keys and the name of the user, and
// on a terminal it asks the user whether to trust a server, and for answers to a server's questions. If the clients of
// e log in nowhere, it has only the known hosts.
func (e *Env) sftpClient() sftp.Client {
	u := &sshUser{env: e, unlocked: make(map[string]ssh.Signer)}
	c := sftp.Client{Pool: &sftp.Pool{}, KnownHosts: u.knownHosts}
	if e.logsInNowhere {
		return c
	}
	c.Keys, c.User = u.keys, cmp.Or(e.Getenv("USER"), e.Getenv("LOGNAME"), e.Getenv("USERNAME"))
	if IsTerminal(e.Stdin) && IsTerminal(e.Stderr) {
		c.Trust, c.Answer = u.trust, u.answer
	}
	return c
}

// sshDir returns the folder .ssh of the user; "" if the home is unknown.
func (u *sshUser) sshDir() string {
	home := u.env.HomeDir()
	if home == "" {
		return ""
	}
	return u.env.Path(filepath.Join(home, ".ssh"))
}

// trust asks the user whether to trust the key of an unknown server, and adds the key to the known hosts if the user's
// home is known. If the user declines, the error wraps fs.ErrPermission. It asks only once in this process for a key
// that the user accepts.
func (u *sshUser) trust(ctx context.Context, key sftp.HostKey) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	isSame := func(k sftp.HostKey) bool {
		return k.Address == key.Address && bytes.Equal(k.Key.Marshal(), key.Key.Marshal())
	}
	if slices.ContainsFunc(u.trusted, isSame) {
		return nil
	}
	question := fmt.Sprintf("the key of %s is unknown: %s. Trust it", key.Address, key)
	if dir := u.sshDir(); dir != "" {
		question += ", and add it to " + filepath.Join(dir, knownHostsName)
	}
	answer, err := u.askShown(ctx, question+"? (yes or no)")
	if err != nil {
		return err
	}
	if !strings.EqualFold(strings.TrimSpace(answer), "yes") {
		return engine.Reason("the key of the server is not trusted", fs.ErrPermission)
	}
	u.trusted = append(u.trusted, key)
	return u.addKnownHost(knownHostLine(key))
}

// answer shows the user a question that a server asks, and returns the answer.
func (u *sshUser) answer(ctx context.Context, host string, q sftp.Question) (string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	prompt := fmt.Sprintf("%s asks %q", host, q.Text)
	if q.Hidden {
		return u.env.AskHidden(ctx, prompt)
	}
	return u.askShown(ctx, prompt)
}

// errNoAnswer says that the input ended where an answer was expected.
var errNoAnswer = errors.New("the question was not answered")

// askShown asks the user for a line, which is shown while it is typed. If the input ends, it returns errNoAnswer,
// because io.EOF would seem to be an error of the server.
func (u *sshUser) askShown(ctx context.Context, prompt string) (string, error) {
	u.env.Ask(prompt)
	line, err := console.Await(ctx, func() (string, error) { return console.ReadLine(u.env.Stdin) })
	if err == io.EOF {
		return "", errNoAnswer
	}
	return line, err
}

// keys returns the keys of the agent, and then the keys in ~/.ssh that the agent does not have. It warns the user of
// a key that cannot be used. The error is always nil.
func (u *sshUser) keys(ctx context.Context, _, _ string) ([]ssh.Signer, error) {
	signers := u.agentKeys(ctx)
	for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
		key, err := u.fileKey(ctx, name)
		if err != nil {
			u.warn(filepath.Join(u.sshDir(), name), err)
			continue
		}
		if key != nil && !slices.ContainsFunc(signers, func(s ssh.Signer) bool { return isSameKey(s.PublicKey(), key.PublicKey()) }) {
			signers = append(signers, key)
		}
	}
	return signers, nil
}

// warn says that the key in a file is not used, but only once for each file.
func (u *sshUser) warn(file string, err error) {
	if _, isKnown := u.warned.LoadOrStore(file, true); !isKnown {
		u.env.Say(fmt.Sprintf("warning: the key %s is not used: %v", file, err))
	}
}

// isSameKey reports whether two keys are equal.
func isSameKey(a, b ssh.PublicKey) bool { return bytes.Equal(a.Marshal(), b.Marshal()) }

// agentKeys returns the keys of the agent that SSH_AUTH_SOCK names, or nil if the agent does not answer. The
// connection to the agent stays open until ctx is done, because the keys sign through it.
func (u *sshUser) agentKeys(ctx context.Context) []ssh.Signer {
	socket := u.env.Getenv("SSH_AUTH_SOCK")
	if socket == "" {
		return nil
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", u.env.Path(socket))
	if err != nil {
		return nil
	}
	context.AfterFunc(ctx, func() { conn.Close() })
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		conn.Close()
		return nil
	}
	return signers
}

// fileKey returns the key in the file name of ~/.ssh, or nil if the file or the user's home is missing. A file that
// others can read is an error. An encrypted key asks for its passphrase when it signs.
func (u *sshUser) fileKey(ctx context.Context, name string) (ssh.Signer, error) {
	file := filepath.Join(u.sshDir(), name)
	info, err := os.Stat(file)
	if u.sshDir() == "" || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("others can read it: its mode is %#o", mode)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	signer, err := ssh.ParsePrivateKey(text)
	locked, ok := errors.AsType[*ssh.PassphraseMissingError](err)
	if !ok {
		return signer, err
	}
	public := locked.PublicKey
	if public == nil {
		if public, err = readPublicKey(file + ".pub"); err != nil {
			return nil, err
		}
	}
	return &lockedKey{user: u, ctx: ctx, file: file, text: text, public: public}, nil
}

// readPublicKey reads a public key from a file in the format of authorized_keys.
func readPublicKey(file string) (ssh.PublicKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey(text)
	return key, err
}

// A lockedKey is an encrypted key. It asks for the passphrase when it signs, which is after the server has accepted the
// key.
type lockedKey struct {
	user   *sshUser
	ctx    context.Context // limits the wait for the passphrase
	file   string
	text   []byte // of the file
	public ssh.PublicKey
}

// PublicKey implements ssh.Signer.
func (k *lockedKey) PublicKey() ssh.PublicKey { return k.public }

// Sign implements ssh.Signer.
func (k *lockedKey) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return k.SignWithAlgorithm(rand, data, "")
}

// SignWithAlgorithm unlocks the key, which may ask the user for its passphrase, and signs data with it. It ignores
// algorithm if the key does not implement ssh.AlgorithmSigner.
func (k *lockedKey) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	signer, err := k.unlock()
	if err != nil {
		return nil, err
	}
	if s, ok := signer.(ssh.AlgorithmSigner); ok {
		return s.SignWithAlgorithm(rand, data, algorithm)
	}
	return signer.Sign(rand, data)
}

// mostPassphrases is the number of times that the user is asked for the passphrase of a key.
const mostPassphrases = 3

// unlock returns the decrypted key. It asks for the passphrase, unless the key was unlocked before. Without a
// terminal, or after mostPassphrases wrong passphrases, it returns an error.
func (k *lockedKey) unlock() (ssh.Signer, error) {
	k.user.mu.Lock()
	defer k.user.mu.Unlock()
	if signer := k.user.unlocked[k.file]; signer != nil {
		return signer, nil
	}
	if !IsTerminal(k.user.env.Stdin) {
		locked := engine.Reason("the key "+k.file+" is encrypted, and there is no terminal to ask for its passphrase on", access.ErrPassword)
		return nil, access.WithRemedy(locked, access.Advice("ssh-add "+k.file+" gives the key to your SSH agent"))
	}
	for range mostPassphrases {
		passphrase, err := k.user.env.AskHidden(k.ctx, "passphrase of "+k.file)
		if err != nil {
			return nil, err
		}
		signer, err := ssh.ParsePrivateKeyWithPassphrase(k.text, []byte(passphrase))
		if err == nil {
			k.user.unlocked[k.file] = signer
			return signer, nil
		}
	}
	return nil, engine.Reason("the passphrase of the key "+k.file+" is wrong", fs.ErrPermission)
}
