package jobs

import (
	"context"
	"encoding/json"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	work "github.com/filmstrip/filmstrip/internal/jobs"
	"github.com/filmstrip/filmstrip/store"
)

var maintenance = map[graph.MaintenanceTask]string{
	graph.MaintenanceTaskVerifyUsage: work.VerifyUsage, graph.MaintenanceTaskReindex: work.Reindex, graph.MaintenanceTaskBackup: work.Backup,
}

// StartMaintenance starts a task of maintenance.
func (r *Resolver) StartMaintenance(ctx context.Context, task graph.MaintenanceTask) (*graph.Job, error) {
	kind := maintenance[task]
	if r.config.CanMaintain == nil {
		return nil, fault.Errorf(fault.Unavailable, "this server runs no maintenance")
	}
	if err := r.config.CanMaintain(kind); err != nil {
		return nil, err
	}
	return r.add(ctx, kind, struct{}{}, func(*store.Job) error { return nil })
}

func isMaintenance(kind string) bool {
	return kind == work.VerifyUsage || kind == work.Reindex || kind == work.Backup
}

// check returns an error with the code Forbidden unless the caller may see jobs of a kind. Everybody on the staff may see
// maintenance.
func check(ctx context.Context, kind string) error {
	if isMaintenance(kind) {
		return nil
	}
	return account.Require(ctx, account.EditCatalogue)
}

func shownReport(job *store.Job) (*graph.MaintenanceReport, error) {
	if job.Result == nil {
		return nil, nil //nolint:nilnil // there is no report before the end
	}
	var report work.Report
	if err := json.Unmarshal(job.Result, &report); err != nil {
		return nil, err
	}
	return &graph.MaintenanceReport{Lines: report.Lines, Sound: report.Sound}, nil
}
