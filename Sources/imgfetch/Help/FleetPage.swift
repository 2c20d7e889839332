enum FleetPage {
  static func text() -> String {
    Manual.head(.fleet, "make a data set on many machines")
      + Roff.paragraphs(prose)
      + Manual.examples([
        (
          "Eight parts on two machines by GNU parallel, two at a time on each:",
          "Scripts/fleet/parallel -n 8 -j 2 -S one,two -- -i /shared/list.txt -d /shared/set"
        ),
        (
          "As an array job of Slurm:",
          "sbatch --array=1-8 Scripts/fleet/slurm -i /shared/list.csv --list-format csv -d /shared/set"
        ),
        ("On Ray:", "Scripts/fleet/ray-job.py --parts 8 -- -i /shared/list.txt -d /shared/set"),
        (
          "On Spark, from a Parquet table with a column url:",
          "spark-submit Scripts/fleet/spark-job.py --parts 8 table.parquet /shared/set rows.parquet"
        ),
        (
          "By hand, on the third of eight machines:",
          "imgfetch pack -i /shared/list.txt -d /shared/set --shard 3/8 --shard-by host"
        ),
      ])
      + Manual.seeAlso([("imgfetch", 1), ("imgfetch-pack", 1), ("parallel", 1), ("sbatch", 1)])
  }

  /// The figures are those that `bench-tool fleet 1500 0.2` prints.
  private static let prose = """
    imgfetch has no scheduler and no coordinator. A list that is too long for one machine is made into a data set \
    by an existing engine: GNU parallel, Slurm, Ray, Spark, or a loop in a shell. imgfetch provides shards that \
    can be attempted any number of times, by any number of processes at once.

    A shard appears whole or not at all, and the first attempt that finishes makes it. An attempt that comes \
    second, or begins later, reports the rows of the finished shard, and succeeds. So an engine may start a task \
    twice, kill it, move it, or continue one that it had given up: each line of the list is in exactly one row, \
    and the same answers make the same bytes.

    With --shard K/N each of N processes makes every Nth shard. With --shard-by host it makes the lines of its own \
    hosts instead, so that --per-host and --rate hold for all processes together, and no origin sees N machines at \
    once. That is what the adapters do. A host that is more than a machine's part is named by --split-host: then \
    as many parts share it as --per-host allows connections, with one connection and an equal part of --rate each. \
    N, --per-host and the list must be the same in every run of one data set.

    # ENGINES
    The adapters are in Scripts/fleet. Each takes its own options first, and then those of imgfetch-pack(1). \
    imgfetch, the list and the folder must have the same names on all machines. The adapters for Ray and Spark use \
    the module of the wheel, see imgfetch-python(7).
    * parallel | GNU parallel: each part is a job, here or over ssh (-S). A job that was killed, or whose machine has \
    gone, is begun anew up to -r times, on another machine if there is one.
    * slurm | A script for sbatch --array=1-N: the task's number and the array's size become --shard. Tasks are queued \
    again when their node fails. Preemption and time limits end imgfetch in order (SIGTERM, exit code 143). PROGRAM in \
    the environment is the path of imgfetch. PARTS is the number of parts, for arrays that run only some of them \
    again.
    * ray-job.py | One task of Ray for each part. Ray repeats a task if its worker or node has died, or its imgfetch \
    was killed. A wrong command line is not repeated.
    * spark-job.py | Reads a table, and makes shards and a table of rows. Spark divides the lines by their hosts; each \
    part is a folder of shards, part-00000 and so on, in which records count from 0. A lost executor, or speculation, \
    costs time and requests, but no row comes twice: the second attempt gives the rows of the first one's shards.

    # WHEN A MACHINE DIES
    Finished shards stay, and the lines of open ones are lost. The next attempt fetches them anew, or takes them \
    from the cache if it runs on a machine that has them there. Shorter shards (--per-shard) lose less. \
    Unfinished files have no name if the file system can do that; if it cannot, the next attempt on that host \
    removes them, and any other attempt after a day.

    A machine that stops, and continues after another one has taken over its part, does no harm: both make the \
    same shards, and the first to finish a shard makes it. Meanwhile two machines ask the same origins.

    The exit code is 0 when every shard is there, and only then is a part done: an engine that repeats a part on \
    any other code loses nothing. 2 means that the command line or the folder is wrong, now and next time. 3 \
    means that a shard was not made because too many of its lines failed for a passing reason: a network outage \
    is not data. Hosts that never answered do not count, as long as they are at most a fifth of the \
    shard's hosts and others answered. By hosts, the lines of one dead host may be a whole shard; \
    --max-transient 100% accepts it. 7 means that a machine lacks a library, memory or room that an image needs: \
    another machine makes the shard, or --without leaves out such images everywhere.

    Afterwards imgfetch pack --again tries the failed lines once more, which it finds in the shards themselves.

    # SIZE
    The figures come from a simulation (bench-tool fleet) with the program's own rules: a list of a thousand \
    million URLs of ten million hosts. The largest host has 6 % of all, and the Nth has 1/N of that. A machine \
    manages 1,500 images a second, and an origin answers in 0.2 s.
    > machines  parts of          busiest  hours  connections  largest host
    > 1         lines             1.0      185.2  6            554.6
    > 1         hosts             1.0      185.2  6            554.6
    > 10        lines             1.0      18.5   60           55.5
    > 10        hosts             1.48     27.3   6            554.6
    > 10        hosts, 1 split    1.31     24.2   6            554.6
    > 100       lines             1.0      1.9    600          5.5
    > 100       hosts             6.95     12.9   6            554.6
    > 100       hosts, 11 split   2.37     4.4    6            554.6
    > 1000      lines             1.0      0.2    6000         0.6
    > 1000      hosts             60.63    11.2   6            554.6
    > 1000      hosts, 119 split  11.01    2      6            554.6

    busiest: the images of the busiest machine, divided by the mean. hours: its time, if nothing else holds it \
    up. connections: those that one origin has at once, from all machines. largest host: the hours for its \
    images, over so many connections.

    By lines the parts are even, and an origin has connections from each machine: from a thousand of them, \
    6,000. By hosts it has six, from any number of machines, and that bounds the time: the largest hosts are \
    asked long after everything else is done. More machines do not help there; a larger --per-host does, if the \
    owner of the host agrees. --split-host evens out the machines, but not that. Some ten machines are worth \
    having here, and a hundred with --split-host for the hosts that are more than half a machine's part.

    A machine that dies loses its open shards: with the usual 10,000 lines half a shard on average, some seconds \
    of its work.

    A process needs about 60 MB of memory, a processor core, and room for its open shards in the folder. Each \
    process reads the whole list. By lines it passes over what is not its own unparsed; by hosts it has to look \
    at each URL.
    """
}
