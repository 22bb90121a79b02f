package stream

import (
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// A Server is a NATS server in this process. It does not listen for connections.
type Server struct {
	server *server.Server
	conn   *nats.Conn
}

// startTimeout is how long a server may take to start or to answer, on a busy machine.
const startTimeout = time.Minute

// Embed starts a server that keeps its streams in a folder. No other process may use
// the folder meanwhile.
func Embed(dir string) (*Server, error) {
	s, err := server.NewServer(&server.Options{
		ServerName: "locus", DontListen: true, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true,
		JetStreamMaxMemory: -1, JetStreamMaxStore: -1, DisableJetStreamBanner: true,
	})
	if err != nil {
		return nil, fmt.Errorf("set up the queue in %q: %w", dir, err)
	}
	go s.Start()
	if !s.ReadyForConnections(startTimeout) {
		s.Shutdown()
		return nil, fmt.Errorf("set up the queue in %q: %w", dir, errors.New("the server does not start"))
	}
	conn, err := nats.Connect("", nats.InProcessServer(s), nats.Timeout(startTimeout))
	if err != nil {
		s.Shutdown()
		return nil, fmt.Errorf("set up the queue in %q: %w", dir, err)
	}
	return &Server{s, conn}, nil
}

// Conn returns a connection to the server. Close closes it.
func (s *Server) Conn() *nats.Conn { return s.conn }

// Close stops the server once everything is on the disk.
func (s *Server) Close() {
	s.conn.Close()
	s.server.Shutdown()
	s.server.WaitForShutdown()
}
