#!/bin/bash
# Merges the shards of slurm.sh. Fails if one is missing, unfinished or given twice.
#SBATCH --job-name=regrasp-merge
#SBATCH --time=00:10:00
#SBATCH --output=merge.log
set -euo pipefail
srun regrasp bench merge shards/* --out whole
