package testservers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

// slots is the number of hash slots of a Redis Cluster.
const slots = 16384

// startRedisCluster starts the nodes, assigns the slots, and waits until every node reports a complete cluster.
func startRedisCluster(set settings) (*Server, error) {
	var nodes []*Server
	var buses []string
	for range set.nodes {
		bus, err := freePort()
		if err != nil {
			return nil, abandon(nodes, err)
		}
		// The default of 15 s before nodes give each other up is long for a test.
		node, err := startRedisServer(set, "--cluster-enabled", "yes", "--cluster-port", strconv.Itoa(bus), "--cluster-node-timeout", "2000")
		if err != nil {
			return nil, abandon(nodes, err)
		}
		nodes, buses = append(nodes, node), append(buses, strconv.Itoa(bus))
	}
	if err := formCluster(nodes, buses); err != nil {
		return nil, abandon(nodes, err)
	}
	nodes[0].Nodes = nodes
	return nodes[0], nil
}

func formCluster(nodes []*Server, buses []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience*time.Second)
	defer cancel()
	for i, node := range nodes {
		if err := withRedis(node, func(client *redis.Client) error { return assignSlots(ctx, client, i, len(nodes)) }); err != nil {
			return err
		}
	}
	// Only now, because a node that knows another accepts no epoch.
	for _, node := range nodes {
		if err := withRedis(node, func(client *redis.Client) error { return meet(ctx, client, nodes, buses) }); err != nil {
			return err
		}
	}
	for _, node := range nodes {
		if err := awaitRedis(ctx, node, clusterComplete(len(nodes))); err != nil {
			return err
		}
	}
	return nil
}

// assignSlots assigns a node its part of the slots, and a unique epoch.
func assignSlots(ctx context.Context, client *redis.Client, node, nodes int) error {
	if err := client.Do(ctx, "CLUSTER", "SET-CONFIG-EPOCH", node+1).Err(); err != nil {
		return err
	}
	first, next := node*slots/nodes, (node+1)*slots/nodes
	return client.ClusterAddSlotsRange(ctx, first, next-1).Err()
}

// meet introduces a node to all others.
func meet(ctx context.Context, client *redis.Client, nodes []*Server, buses []string) error {
	for i, other := range nodes {
		host, port, err := net.SplitHostPort(other.Addr)
		if err != nil {
			return err
		}
		if err := client.Do(ctx, "CLUSTER", "MEET", host, port, buses[i]).Err(); err != nil {
			return err
		}
	}
	return nil
}

func clusterComplete(nodes int) func(context.Context, *redis.Client) error {
	return func(ctx context.Context, client *redis.Client) error {
		info, err := client.ClusterInfo(ctx).Result()
		return wantTexts(info, err, "cluster_state:ok", fmt.Sprintf("cluster_known_nodes:%d\r", nodes))
	}
}

// startRedisSentinel starts a master, its replica and a sentinel, and waits until they know one another.
func startRedisSentinel(set settings) (*Server, error) {
	master, err := startRedisServer(set, "--repl-diskless-sync-delay", "0")
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(master.Addr)
	if err != nil {
		return nil, abandon([]*Server{master}, err)
	}
	if master.Replica, err = startRedisServer(set, "--repl-diskless-sync-delay", "0", "--replicaof", host, port); err != nil {
		return nil, abandon([]*Server{master}, err)
	}
	sentinel, err := startSentinel(host, port, set.password)
	if err != nil {
		return nil, abandon([]*Server{master}, err)
	}
	master.Sentinels = []*Server{sentinel}
	ctx, cancel := context.WithTimeout(context.Background(), patience*time.Second)
	defer cancel()
	if err := awaitRedis(ctx, master.Replica, func(ctx context.Context, client *redis.Client) error {
		info, err := client.Info(ctx, "replication").Result()
		return wantTexts(info, err, "master_link_status:up")
	}); err != nil {
		return nil, abandon([]*Server{master}, err)
	}
	if err := awaitRedis(ctx, sentinel, func(ctx context.Context, client *redis.Client) error {
		info, err := client.Info(ctx, "sentinel").Result()
		return wantTexts(info, err, "status=ok", "slaves=1")
	}); err != nil {
		return nil, abandon([]*Server{master}, err)
	}
	return master, nil
}

func startSentinel(masterHost, masterPort, password string) (*Server, error) {
	binary, err := redisBinary()
	if err != nil {
		return nil, err
	}
	return launch("sentinel", func(folder string) (*Server, error) {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		lines := []string{
			"bind " + onlyThisMachine,
			"port " + strconv.Itoa(port),
			"dir " + folder,
			strings.Join([]string{"sentinel monitor", SentinelMaster, masterHost, masterPort, "1"}, " "),
			"sentinel down-after-milliseconds " + SentinelMaster + " 1000",
			"sentinel failover-timeout " + SentinelMaster + " 15000",
		}
		if password != "" {
			lines = append(lines, "sentinel auth-pass "+SentinelMaster+" "+password)
		}
		file := filepath.Join(folder, "sentinel.conf")
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), rightsOfTextFile); err != nil {
			return nil, err
		}
		s := &Server{URL: "redis://" + address(port), Addr: address(port), folder: folder}
		s.program = program{
			name:    "sentinel",
			command: func() *exec.Cmd { return exec.Command(binary, file, "--sentinel") },
			answers: func(ctx context.Context, pid int) error { return redisAnswers(ctx, s, pid) },
			stop:    syscall.SIGTERM,
		}
		return s, nil
	})
}

// wantTexts returns an error unless a server answered and the answer contains the wanted texts.
func wantTexts(info string, err error, wanted ...string) error {
	for _, part := range wanted {
		if err == nil && !strings.Contains(info, part) {
			err = fmt.Errorf("no %s in %s", part, info)
		}
	}
	return err
}

// abandon ends servers after a failure.
func abandon(servers []*Server, why error) error {
	for _, one := range servers {
		why = errors.Join(why, one.removeAll())
	}
	return why
}

func withRedis(s *Server, do func(*redis.Client) error) error {
	client, err := redisClient(s)
	if err != nil {
		return err
	}
	defer client.Close()
	return do(client)
}

// awaitRedis repeats a command until it succeeds.
func awaitRedis(ctx context.Context, s *Server, ask func(context.Context, *redis.Client) error) error {
	return withRedis(s, func(client *redis.Client) error {
		for {
			err := ask(ctx, client)
			if err == nil {
				return nil
			}
			if ctx.Err() != nil {
				return fmt.Errorf("testservers: %s is not ready: %w", s.program.name, err)
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
}
