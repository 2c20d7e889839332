/// A part of the way of a flight. It has nothing of its own: caches, threads and the other stages are the pipeline's.
protocol Stage {
  var pipeline: Pipeline { get }
}

extension Stage {
  // Not copied, since they are large.
  var configuration: PipelineConfiguration { _read { yield pipeline.configuration } }
  var log: FlightLog { _read { yield pipeline.log } }
  var clock: any Clock { pipeline.clock }
  var workers: Workers { pipeline.workers }
  var memory: MemoryCache { pipeline.memory }
  var disk: DiskCache? { pipeline.disk }
  var identity: RunIdentity { pipeline.identity }
  var record: RunRecord { pipeline.record }
  var serving: ServeStage { pipeline.serving }
  var storing: StoreStage { pipeline.storing }
  var claims: ClaimStage { pipeline.claims }
  var resumption: PartResumption { pipeline.resumption }
  var failures: KnownFailures { pipeline.failures }
  var sources: SourceCheck { pipeline.sources }
}
