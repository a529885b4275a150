package catalogue

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
)

func (r *Resolver) LearningMaterial(ctx context.Context, videoID string) (*graph.LearningMaterial, error) {
	video, err := r.Video(ctx, videoID, nil)
	if err != nil || video == nil {
		return nil, err
	}
	material := &graph.LearningMaterial{
		LearningOutcomes: []string{}, AssessmentQuestions: []string{}, CefrLevel: video.CEFRLevel,
	}
	if !graphql.AnyFieldRequested(ctx, "learningOutcomes", "assessmentQuestions") {
		return material, nil
	}
	stored, err := r.store.OwnedItems(ctx, catalogue.KindMaterial, []catalogue.ID{catalogue.MaterialID(video.ID)})
	for _, record := range stored {
		written := record.(*catalogue.Material)
		material.LearningOutcomes = append(material.LearningOutcomes, written.LearningOutcomes...)
		material.AssessmentQuestions = append(material.AssessmentQuestions, written.AssessmentQuestions...)
	}
	return material, err
}
