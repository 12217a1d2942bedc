#!/bin/bash
# A benchmark as a Slurm array: one shard per task. Submit both jobs from a folder that all nodes
# share:
#
#     array=$(sbatch --parsable examples/cluster/slurm.sh)
#     sbatch --dependency="afterok:$array" examples/cluster/slurm_merge.sh
#
# A task that is killed and requeued continues its shard.
#SBATCH --job-name=regrasp
#SBATCH --array=1-32
#SBATCH --cpus-per-task=2
#SBATCH --mem-per-cpu=1G
#SBATCH --time=01:00:00
#SBATCH --requeue
#SBATCH --output=shard-%a.log
set -euo pipefail
srun regrasp bench --suite all --seeds 100 --jobs "$SLURM_CPUS_PER_TASK" \
    --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --resume \
    --out "shards/$SLURM_ARRAY_TASK_ID"
